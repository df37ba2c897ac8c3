import { Controller, Get, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { createPetstore } from "@petstore/petstore";
import { createNodeListener } from "@petstore/petstore/node";
import process from "node:process";

const { PORT = "8000", BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });

@Controller()
class AppController {
  @Get("hello")
  hello(): string {
    return "Hello from the app";
  }
}

@Module({ controllers: [AppController] })
class AppModule {}

const app = await NestFactory.create(AppModule);
app.use(BASE_PATH, createNodeListener(petstore)); // before the body parsers, which listen() adds
await app.listen(Number(PORT));
console.log(`Listening on ${await app.getUrl()}`);
