import { createPetstore } from "@petstore/petstore";
import { createNodeListener } from "@petstore/petstore/node";
import express from "express";
import process from "node:process";

const { PORT = "8000", BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });

const app = express();
app.disable("x-powered-by");
app.get("/hello", (_request, response) => void response.send("Hello from the app"));
app.use(BASE_PATH, createNodeListener(petstore));
app.use(express.json()); // body parsers come after it

const server = app.listen(Number(PORT), () => console.log("Listening on", server.address()));
