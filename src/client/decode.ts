import { base64 } from './base64.js';
import { ProtocolError } from './errors.js';

export type JsonObject = { readonly [name: string]: unknown };

function unexpected(name: string, wanted: string): ProtocolError {
  return new ProtocolError(`the server's "${name}" is not ${wanted}`);
}

/** @throws {ProtocolError} as do all of these, when the value is not of that kind */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ProtocolError('the server sent something that is not JSON', { cause });
  }
}

export function asObject(value: unknown, name: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unexpected(name, 'an object');
  return value as JsonObject;
}

export function asArray(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw unexpected(name, 'an array');
  return value;
}

export function stringField(object: JsonObject, name: string): string {
  const value = object[name];
  if (typeof value !== 'string') throw unexpected(name, 'a string');
  return value;
}

/** An integer of 0 to 2^53 - 1. */
export function versionField(object: JsonObject, name: string): number {
  const value = object[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw unexpected(name, 'a version');
  return value;
}

export function bytesField(object: JsonObject, name: string): Uint8Array {
  try {
    return base64.decode(stringField(object, name));
  } catch (cause) {
    if (cause instanceof ProtocolError) throw cause;
    throw new ProtocolError(`the server's "${name}" is not base64`, { cause });
  }
}
