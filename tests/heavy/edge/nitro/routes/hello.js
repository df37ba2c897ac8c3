export default defineEventHandler(() => "Hello from the app");
