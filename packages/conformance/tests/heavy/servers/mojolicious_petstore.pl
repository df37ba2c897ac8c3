# A petstore with Mojolicious::Plugin::OpenAPI, after its tutorial: the description routes and checks, and pets are in an array.
# It has a description of its own, because the plugin reads the schema of OpenAPI 3.1 from the network.

use Mojolicious::Lite -signatures;
use Mojo::JSON qw(encode_json);
use Mojo::Server::Daemon;

my ($port, $key) = @ARGV;
my @pets;

sub failure ($c, $status, $code, $message) {
  $c->render(json => {code => $code, message => $message, status => $status}, status => $status);
}

get '/pets' => sub ($c) {
  $c->openapi->valid_input or return;
  my $status = $c->param('status');
  my @found = grep { !defined $status || $_->{status} eq $status } @pets;
  my $last = $c->param('limit') - 1;
  $c->render(openapi => [@found[0 .. ($last < $#found ? $last : $#found)]]);
}, 'listPets';

post '/pets' => sub ($c) {
  $c->openapi->valid_input or return;
  push @pets, {status => 'available', %{$c->req->json}, id => @pets + 1};
  $c->render(openapi => $pets[-1], status => 201);
}, 'createPet';

get '/pets/:petId' => sub ($c) {
  $c->openapi->valid_input or return;
  my $id = $c->param('petId');
  return failure($c, 404, 'pet_not_found', 'There is no such pet') if $id < 1 || $id > @pets;
  $c->render(openapi => $pets[$id - 1]);
}, 'getPet';

plugin OpenAPI => {
  url => 'data:///description.json',
  renderer => sub ($c, $data) {
    $c->res->headers->content_type('application/json');
    return encode_json($data) unless ref $data eq 'HASH' && $data->{errors};
    my ($status, $error) = ($data->{status} // 400, $data->{errors}[0]);
    my $message = ref $error eq 'HASH' ? $error->{message} : "$error";
    return encode_json({code => "http_$status", message => $message, status => $status});
  },
  security => {
    bearer => sub ($c, $definition, $scopes, $then) {
      my $isRight = ($c->req->headers->authorization // '') eq "Bearer $key";
      $c->$then($isRight ? undef : 'A valid API key is required');
    },
  },
};
app->log->level('fatal');
Mojo::Server::Daemon->new(app => app, listen => ["http://127.0.0.1:$port"])->run;

__DATA__
@@ description.json
{
  "openapi": "3.0.3",
  "info": {"title": "Petstore", "version": "1.0.0"},
  "servers": [{"url": "/v1"}],
  "security": [{"bearer": []}],
  "paths": {
    "/pets": {
      "get": {
        "x-mojo-name": "listPets",
        "parameters": [
          {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}},
          {"name": "status", "in": "query", "schema": {"$ref": "#/components/schemas/PetStatus"}}
        ],
        "responses": {"200": {"description": "Pets", "content": {"application/json": {"schema": {"type": "array"}}}}}
      },
      "post": {
        "x-mojo-name": "createPet",
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewPet"}}}
        },
        "responses": {"201": {"description": "Pet", "content": {"application/json": {"schema": {"type": "object"}}}}}
      }
    },
    "/pets/{petId}": {
      "get": {
        "x-mojo-name": "getPet",
        "parameters": [{"name": "petId", "in": "path", "required": true, "schema": {"type": "integer", "format": "int64"}}],
        "responses": {"200": {"description": "Pet", "content": {"application/json": {"schema": {"type": "object"}}}}}
      }
    }
  },
  "components": {
    "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
    "schemas": {
      "PetStatus": {"type": "string", "enum": ["available", "pending", "sold"]},
      "NewPet": {
        "type": "object",
        "required": ["name", "categoryId"],
        "properties": {
          "name": {"type": "string"},
          "categoryId": {"type": "integer", "format": "int64"},
          "status": {"$ref": "#/components/schemas/PetStatus"}
        }
      }
    }
  }
}
