import type { FastifyRequest } from 'fastify'
import {
  ApiError,
  type BodyLimits,
  type Caller,
  isUploadedFile,
  limitsOf,
  notFound,
  type Operation,
  type Performer,
  parseNestedParameters,
  readBody,
  tooLarge,
} from '../../api/index.ts'
import { localPath, requireOwnPage } from '../http/origin.ts'
import type { Page, Visit } from '../page.ts'
import type { Console } from '../visits.ts'
import { draftOf } from './drafts.ts'
import { sentByButton } from './other-button.ts'
import { withIds } from './references.ts'
import { type Json, schemaOf } from './schema.ts'
import { callOfForm, problemOf } from './values.ts'

/** Where the browser goes after a form, or the visit that shows what came of it. */
type Sent = { to: string } | { visit: Visit; status: number }

/** Refusals that concern what was written: the form is shown again with them. */
const shownStatuses = [400, 403, 405, 406, 409, 412, 422, 429]

/**
 * Performs the operation that a form of a page names. A page receives its own forms, and performs only what it declares.
 * @throws ApiError 403 for a form of another origin, 404 for an operation that the page does not declare
 */
export async function performForm(
  console: Console,
  request: FastifyRequest,
  caller: Caller,
  visit: Visit,
  { performs = [], leads }: Page,
): Promise<Sent> {
  const { performer, platform } = console
  requireOwnPage(request)
  const body = await readBody(request.raw, await limitsOfForms(console, caller, visit, performs), {})
  try {
    const { _operation: id, _form: form, _shows: shows, _choice: choice, _other: other, ...rest } = body.parameters
    const operation: Operation | undefined = performs.find((one) => one.id === id)
    if (!operation) throw notFound('Form')
    const { _then: usual, ...given } = rest
    const { fields: sent, goesTo: then = usual } = sentByButton(other, operation, {
      ...given,
      ...fieldsOfChoice(choice),
    })
    const named = { operation: operation.id, ...(typeof form === 'string' && { form }) }
    let fields: Record<string, unknown> = sent
    await requireFileSizes(console, visit, operation, sent)
    try {
      const draft = await draftOf({ performer }, caller, visit, performs, sent)
      fields = draft.fields
      if (draft.isDraft) {
        const refused = { ...named, values: fields, sentence: '', fields: {}, isDraft: true }
        return { visit: { ...visit, refused }, status: 200 }
      }
      const call = await callOf(performer, caller, operation, fields)
      const { value } = await performer.perform(operation, caller, call)
      if (shows !== undefined) {
        const answered = { operation: operation.id, value, values: fields }
        return { visit: { ...visit, answered }, status: 200 }
      }
      if (leads) return { to: leads(value) }
      return {
        to:
          then === ':made'
            ? pathOfObject(value, platform.externalUrl)
            : localPath(withValues(then, { ...fields, ...(value as object | undefined) })),
      }
    } catch (error) {
      if (!(error instanceof ApiError) || !shownStatuses.includes(error.status)) throw error
      const refused = { ...named, values: fields, ...problemOf(error) }
      return { visit: { ...visit, refused }, status: error.status }
    }
  } finally {
    await body.dispose?.()
  }
}

/**
 * What a form of a page may send: a file as large as any of its operations takes. Files are written to the disk as they come. For callers who
 * are not signed in the limit is the usual one.
 */
async function limitsOfForms(
  console: Console,
  { actor }: Caller,
  { params }: Visit,
  performs: readonly Operation[],
): Promise<BodyLimits> {
  const { bodyLimits } = console
  if (actor.kind !== 'user') return bodyLimits
  const each = await Promise.all(performs.map((operation) => limitsOf(console, operation, params)))
  const fileBytes = Math.max(bodyLimits.multipart.fileBytes, ...each.map(({ multipart }) => multipart.fileBytes))
  return { ...bodyLimits, multipart: { ...bodyLimits.multipart, fileBytes } }
}

/** Requires that the files for an operation are as small as it wants them. @throws ApiError 413, or its own refusal */
async function requireFileSizes(console: Console, { params }: Visit, operation: Operation, fields: Json) {
  const files = Object.entries(fields).flatMap(([name, value]) =>
    operation.params?.[name] && isUploadedFile(value) ? [value] : [],
  )
  if (files.length === 0) return
  const { multipart } = await limitsOf(console, operation, params)
  if (files.some(({ sizeBytes }) => sizeBytes > multipart.fileBytes)) throw (multipart.tooLarge ?? tooLarge)()
}

/** The fields that one choice stands for, which is written as a query: `state_event=close`. */
function fieldsOfChoice(choice: unknown): Json {
  return typeof choice === 'string' ? { ...parseNestedParameters(choice) } : {}
}

/** What a form sends to an operation. Names are found as the caller. @throws ApiError 400 for those that are not found */
function callOf(performer: Performer, caller: Caller, operation: Operation, fields: Record<string, unknown>) {
  const { params = {} } = operation
  const schemas = Object.fromEntries(Object.keys(params).map((name) => [name, schemaOf(params[name]?.schema)]))
  const read = async (one: Operation, call: Json) => (await performer.perform(one, caller, call)).value
  return withIds(callOfForm(operation, fields), schemas, read)
}

/** The address with members of the answer, or with what was written into fields: `/a/b/-/tree/{branch}`. */
function withValues(address: unknown, values: Record<string, unknown>): unknown {
  if (typeof address !== 'string') return address
  return address.replace(/\{(\w+)\}/g, (name, member) => {
    const value = values[member]
    const isText = typeof value === 'string' || typeof value === 'number'
    return isText ? String(value).split('/').map(encodeURIComponent).join('/') : name
  })
}

/** The path of the page of an object, by its `web_url`. */
export function pathOfObject(object: unknown, externalUrl: string): string {
  const { web_url: address = '' } = (object ?? {}) as { web_url?: string }
  return address.startsWith(externalUrl) ? localPath(address.slice(externalUrl.replace(/\/$/, '').length)) : '/'
}
