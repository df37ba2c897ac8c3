"""A petstore with FastAPI, after its tutorial: models check the bodies, a dependency checks the key, and pets are in a dictionary."""

import sys
from enum import Enum
from typing import Optional

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Query
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, conint
from starlette.exceptions import HTTPException as StarletteHTTPException

PORT, KEY = int(sys.argv[1]), sys.argv[2]
bearer = HTTPBearer(auto_error=False)


def check_key(credentials: Optional[HTTPAuthorizationCredentials] = Depends(bearer)):
    if credentials is None or credentials.credentials != KEY:
        raise HTTPException(401, "A valid API key is required", {"WWW-Authenticate": "Bearer"})


class PetStatus(str, Enum):
    available = "available"
    pending = "pending"
    sold = "sold"


class NewPet(BaseModel):
    name: str
    categoryId: conint(ge=-(2**63), lt=2**63)
    status: PetStatus = PetStatus.available


class Pet(NewPet):
    id: int


app = FastAPI(dependencies=[Depends(check_key)])
pets: dict[int, Pet] = {}


def describe(status: int, message: str, headers=None):
    return JSONResponse({"code": f"http_{status}", "message": message, "status": status}, status, headers)


@app.exception_handler(StarletteHTTPException)
def on_failure(_, failure):
    return describe(failure.status_code, failure.detail, getattr(failure, "headers", None))


@app.exception_handler(RequestValidationError)
def on_invalid_request(_, failure):
    return describe(400, str(failure))


@app.get("/v1/pets", response_model=list[Pet])
def list_pets(limit: int = Query(20, ge=1, le=100), status: Optional[PetStatus] = None):
    return [pet for pet in pets.values() if status is None or pet.status == status][:limit]


@app.post("/v1/pets", status_code=201, response_model=Pet)
def create_pet(new_pet: NewPet):
    pet = pets[len(pets) + 1] = Pet(id=len(pets) + 1, **new_pet.dict())
    return pet


@app.get("/v1/pets/{pet_id}", response_model=Pet)
def get_pet(pet_id: int):
    if pet_id not in pets:
        raise HTTPException(404, "There is no such pet")
    return pets[pet_id]


uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning")
