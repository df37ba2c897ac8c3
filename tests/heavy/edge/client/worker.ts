import { roundTrip } from "./round_trip.ts";

export default {
  async fetch({ url }: Request): Promise<Response> {
    const [baseUrl = "", key = ""] = new URL(url).searchParams.values();
    return new Response(await roundTrip(baseUrl, key).catch(String));
  },
};
