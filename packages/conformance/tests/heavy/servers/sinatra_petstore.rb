# A petstore with Sinatra, after its README: routes are blocks, and pets are in an array.

require 'json'
require 'sinatra/base'

PORT, KEY = ARGV

class Petstore < Sinatra::Base
  STATUSES = %w[available pending sold].freeze
  set :server, :puma
  set :port, PORT.to_i
  set :bind, '127.0.0.1'
  set :environment, :production
  set :quiet, true
  set :pets, []

  def fail_with(status, code, message)
    halt status, { code: code, message: message, status: status }.to_json
  end

  before do
    content_type :json
    fail_with 401, 'invalid_api_key', 'A valid API key is required' unless env['HTTP_AUTHORIZATION'] == "Bearer #{KEY}"
  end

  get '/v1/pets' do
    limit = (params['limit'] || 20).to_i
    fail_with 400, 'invalid_limit', 'limit must be 1 to 100' unless (1..100).cover?(limit)
    found = settings.pets.select { |pet| params['status'].nil? || pet[:status] == params['status'] }
    found.first(limit).to_json
  end

  post '/v1/pets' do
    body = JSON.parse(request.body.read)
    valid = body.is_a?(Hash) && body['name'].is_a?(String) && body['categoryId'].is_a?(Integer) &&
            STATUSES.include?(body.fetch('status', 'available'))
    fail_with 400, 'invalid_pet', 'The pet is not valid' unless valid
    settings.pets << { id: settings.pets.size + 1, name: body['name'], categoryId: body['categoryId'],
                       status: body.fetch('status', 'available') }
    status 201
    settings.pets.last.to_json
  rescue JSON::ParserError
    fail_with 400, 'invalid_json', 'The body is not JSON'
  end

  get '/v1/pets/:id' do
    pet = settings.pets.find { |each| each[:id] == params['id'].to_i }
    fail_with 404, 'pet_not_found', 'There is no such pet' if pet.nil?
    pet.to_json
  end

  not_found { fail_with 404, 'route_not_found', 'There is no such path' }
  run!
end
