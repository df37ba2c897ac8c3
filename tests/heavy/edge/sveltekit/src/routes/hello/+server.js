export function GET() {
  return new Response("Hello from the app");
}
