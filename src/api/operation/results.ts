import type { Page } from './pages/pagination.ts'
import { type Static, type TSchema, Type, withNull } from './schema.ts'

/** A paginated list: the JSON is an array, the rest is in the headers. */
type PageSchema<T> = { pageOf: TSchema; item?: T }

/** No body at all: 204, and answers to HEAD. */
export const nothing = { nothing: true } as const
export type Nothing = typeof nothing

/**
 * Bytes, with the headers that the operation sets. A body that is a function is called only when the body is sent: not
 * for HEAD, nor when the caller already has the body with this `ETag`.
 */
export type Raw = {
  headers: Record<string, string>
  body: NodeJS.ReadableStream | Buffer | string | (() => Promise<NodeJS.ReadableStream>)
}

/** Declares bytes; `mediaType` is for the documentation: the types that the answer may have, or ranges such as `image/*`. */
export type RawSchema = { readonly raw: true; readonly mediaType?: string | readonly string[] }
export const raw: RawSchema = { raw: true }

export type ResultSchema = TSchema | PageSchema<unknown> | Nothing | RawSchema

/** The bytes of JSON are never a ready text, which could be empty. */
type WrittenJson = Raw & { body: () => Promise<NodeJS.ReadableStream> }

/** JSON that is too large for memory: the operation writes it itself, in the form of its schema. */
export type StreamedJson = { streamedJson: WrittenJson; page?: Omit<Page<unknown>, 'items'> }

/**
 * Returns JSON that the operation writes itself, piece by piece.
 * @param page of a list that is sent with the headers of a page
 */
export function streamedJson({ headers, body }: WrittenJson, page?: StreamedJson['page']): StreamedJson {
  const json = { headers: { ...headers, 'Content-Type': 'application/json' }, body }
  return { streamedJson: json, ...(page && { page }) }
}

/** The bytes of a result that the operation writes itself; null for other results. */
export function bytesOf(schema: ResultSchema, result: unknown): Raw | null {
  if ('raw' in schema) return result as Raw
  return (result as Partial<StreamedJson> | null)?.streamedJson ?? null
}

/** The type that `run` returns for a declared result. */
export type ResultValue<R> = R extends Nothing
  ? // biome-ignore lint/suspicious/noConfusingVoidType: an operation without a body returns nothing at all
    void
  : R extends RawSchema
    ? Raw
    : R extends PageSchema<infer T>
      ? Page<T> | StreamedJson
      : R extends TSchema
        ? Static<R> | StreamedJson
        : never

/** Declares a paginated list of these objects. */
export function pageOf<S extends TSchema>(item: S): PageSchema<Static<S>> {
  return { pageOf: item }
}

/**
 * The number of the status: the JSON of a success other than 204 that has nothing to say, as clients parse every such body
 * (contract 00, "Success").
 */
export const statusNumber = Type.Integer()

/** A schema whose value may also be null; the same form as for parameters (`t.nullable`). */
export function nullable<S extends TSchema>(schema: S) {
  return Type.Unsafe<Static<S> | null>(withNull(schema as never) as never)
}

/** One of these texts; the counterpart of `t.oneOf` for results. */
export function oneOf<const T extends string>(values: readonly T[]) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values] } as never)
}

/** Any JSON value. */
export const anything = Type.Unsafe<unknown>({})

const timestamp = Type.String({ format: 'date-time', examples: ['2026-01-02T03:04:05.678Z'] })
const day = Type.String({ format: 'date', examples: ['2026-01-02'] })

/** Schemas that many objects share. */
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
