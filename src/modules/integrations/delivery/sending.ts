import type { TriggerName } from '../../hooks/index.ts'
import type { FieldValue } from '../tables.ts'
import type { Message } from './message.ts'
import type { EventPayload } from './payload.ts'

/** A request to another server. */
export type Sending = {
  method: 'GET' | 'POST' | 'PUT'
  url: string
  headers?: Record<string, string>
  body: string
}

/** What an integration sends an event of. */
export type Sent = {
  /** The fields with their defaults, secrets too. */
  values: Readonly<Record<string, FieldValue | undefined>>
  trigger: TriggerName
  payload: EventPayload
  /** The payload as JSON text. */
  json: string
  /** The same over all attempts for this event, and for this one only. */
  key: string
  /** The time of the event. */
  moment: string
}

/** An event that is sent. */
export type SentMessage = Sent & { message: Message }

export type Sender<S extends Sent = Sent> = (sent: S) => readonly Sending[]

/** A field as text; empty while it is unset. */
export const textOf = ({ values }: Pick<Sent, 'values'>, name: string): string => String(values[name] ?? '')

export const jsonHeaders = { 'Content-Type': 'application/json' }

/** One request with a JSON body. */
export const postJson = (url: string, body: object): Sending => {
  return { method: 'POST', url, headers: jsonHeaders, body: JSON.stringify(body) }
}

/** An address with a path below another one. */
export const below = (base: string, path: string): string => `${base.replace(/\/+$/, '')}/${path}`
