/** How a field of an integration is read, checked and stored. */
export type FieldType = 'text' | 'boolean' | 'integer' | 'list'

export type Field = {
  type: FieldType
  /** Stored sealed, and never shown. */
  secret?: true
  /** An address of http or https, which outbound rules allow. */
  address?: true
  /** The domain below which the host of the address is. */
  below?: string
  /** The only values. */
  values?: readonly (string | number)[]
  /** What the text has to be. */
  form?: 'private key' | 'service account' | 'host name'
  /** What is used while it is unset. */
  default?: string | number | boolean
}

export type Fields = Readonly<Record<string, Field>>

export const text: Field = { type: 'text' }
export const secret: Field = { type: 'text', secret: true }
export const flag: Field = { type: 'boolean' }
export const integer: Field = { type: 'integer' }
export const list: Field = { type: 'list' }
export const address: Field = { type: 'text', address: true }
export const secretAddress: Field = { type: 'text', address: true, secret: true }
export const privateKey: Field = { type: 'text', secret: true, form: 'private key' }
export const serviceAccount: Field = { type: 'text', secret: true, form: 'service account' }

/** A field that has one of these values. */
export const oneOf = (...values: readonly (string | number)[]): Field => {
  return { type: typeof values[0] === 'number' ? 'integer' : 'text', values }
}

/** Fields of one kind. */
export function each(field: Field, ...names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, field]))
}

/** An address with the one that is used while it is unset. */
export const addressOr = (otherwise: string): Field => ({ ...address, default: otherwise })
