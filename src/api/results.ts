import type { Page } from './pagination.ts'
import { type Static, type TSchema, Type } from './schema.ts'

/** A list that comes in pages: its JSON is an array, its headers tell the rest. */
export type PageSchema<T> = { pageOf: TSchema; item?: T }

/** No body at all (204). */
export const nothing = { nothing: true } as const
export type Nothing = typeof nothing

/** Bytes, with the headers that the operation names. */
export type Raw = { headers: Record<string, string>; body: NodeJS.ReadableStream | Buffer | string }
export const raw = { raw: true } as const
export type RawSchema = typeof raw

export type ResultSchema = TSchema | PageSchema<unknown> | Nothing | RawSchema

/** What the `run` of an operation returns for a declared result. */
export type ResultValue<R> = R extends Nothing
  ? // biome-ignore lint/suspicious/noConfusingVoidType: an operation without a body returns nothing at all
    void
  : R extends RawSchema
    ? Raw
    : R extends PageSchema<infer T>
      ? Page<T>
      : R extends TSchema
        ? Static<R>
        : never

/** Declares a paginated list of these objects. */
export function pageOf<S extends TSchema>(item: S): PageSchema<Static<S>> {
  return { pageOf: item }
}

/** The same schema, or null. One type array instead of a union: both the serialiser and OpenAPI 3.1 want it so. */
export function nullable<S extends TSchema>(schema: S) {
  const { type, ...rest } = schema as { type?: string | string[] } & TSchema
  const types = [...(Array.isArray(type) ? type : [type]), 'null']
  return Type.Unsafe<Static<S> | null>({ ...rest, type: types } as never)
}

/** A JSON value without a fixed form. */
export const anything = Type.Unsafe<unknown>({})

const timestamp = Type.String({ format: 'date-time', examples: ['2026-01-02T03:04:05.678Z'] })
const day = Type.String({ format: 'date', examples: ['2026-01-02'] })

/** Forms that many objects share. */
export const forms = {
  id: Type.Integer(),
  timestamp,
  day,
  nullableTimestamp: nullable(timestamp),
  nullableDay: nullable(day),
  nullableString: nullable(Type.String()),
  nullableInteger: nullable(Type.Integer()),
  strings: Type.Array(Type.String()),
  accepted: Type.Object({ message: Type.String() }),
}
