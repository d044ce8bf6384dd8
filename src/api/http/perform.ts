import { text } from 'node:stream/consumers'
import { type Actor, anonymous } from '../operation/actor.ts'
import { ApiError, routeNotFound } from '../operation/errors.ts'
import { type AnswerOf, type CallOf, knownParametersOf, type Operation } from '../operation/operation.ts'
import type { PageRequest } from '../operation/pages/pagination.ts'
import { emptyParameters } from '../operation/parameters/nested-parameters.ts'
import type { RequestInfo } from '../operation/request.ts'
import { bytesOf, type ResultSchema } from '../operation/results.ts'
import { requireScope } from '../operation/scopes.ts'
import type { Answer } from './responses/answers.ts'
import { serialiserOf } from './responses/serialise.ts'
import { requireName } from './router.ts'
import { authorised, type FindSubject, runOperation } from './run.ts'

/** Who performs operations inside the server, and the request for which they are performed. */
export type Caller = {
  actor: Actor
  request: Pick<RequestInfo, 'id' | 'ip' | 'signal'>
  /** Subjects that were found, by kind and names. A write empties it: it may have changed them. */
  found: Map<object, Map<string, Promise<unknown>>>
}

/** The very value that a client of the API gets as JSON, with the requested page. */
export type Performed<O> = { status: number; headers: Record<string, string>; value: AnswerOf<O>; page: PageRequest }

/** The header that selects some of the bytes of an answer, where the operation knows it. */
export type RangeHeader = { readonly range?: string }

/** Performs operations inside the server, by the steps of a request. */
export type Performer = {
  /** @throws ApiError as the API answers it */
  perform<O extends Operation>(
    operation: O,
    caller: Caller,
    call: CallOf<O>,
    headers?: RangeHeader,
  ): Promise<Performed<O>>
  /** Whether the caller finds the subject of the operation, has its ability there, and is not refused otherwise (`permits`). */
  may<O extends Operation>(operation: O, caller: Caller, call: CallOf<O>): Promise<boolean>
  /** The same of each of some calls on one subject, in a fixed number of queries where the operation has `permitsEach`. */
  mayEach<O extends Operation>(operation: O, caller: Caller, calls: readonly CallOf<O>[]): Promise<boolean[]>
}

type PerformerOptions = { platform: unknown; operations: readonly Operation[] }

const pathNames = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)

/** A request with these parameters, as operations see it. */
function requestOf(
  operation: Operation,
  { request }: Caller,
  call: Record<string, unknown>,
  headers: RangeHeader = {},
): RequestInfo {
  const path: Record<string, string> = {}
  for (const name of pathNames(operation.path)) path[name] = requireName(String(call[name] ?? ''))
  const raw = Object.assign(emptyParameters(), call, path)
  const address = operation.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(path[name] ?? ''))
  const url = `${operation.root ? '' : '/api/v4'}${address}`
  const { id, ip, signal } = request
  return { id, method: operation.method, url, path, query: raw, raw, headers: { ...headers }, ip, signal }
}

/** Finds each subject once for a caller. */
function findOnce(platform: unknown, { found }: Caller): FindSubject {
  return ({ subject, path }, info, actor) => {
    const names = subject.nested ? pathNames(path) : ['id']
    const key = names.map((name) => info.path[name]).join(' ')
    const ofKind = found.get(subject) ?? new Map<string, Promise<unknown>>()
    found.set(subject, ofKind)
    const known = ofKind.get(key)
    if (known) return known
    const finding = subject.find(platform, info, actor)
    ofKind.set(key, finding)
    return finding
  }
}

/** The value as JSON has it: members that the schema does not name are dropped. */
async function jsonValueOf(operation: Operation, result: unknown, results: readonly ResultSchema[]): Promise<unknown> {
  const schema = operation.result[1] as ResultSchema
  if ('nothing' in schema || result === undefined) return undefined
  if ('raw' in schema) return result
  const bytes = bytesOf(schema, result)
  if (bytes) {
    const body = typeof bytes.body === 'function' ? await bytes.body() : bytes.body
    const json = typeof body === 'string' || Buffer.isBuffer(body) ? String(body) : await text(body as never)
    return 'pageOf' in schema ? { ...(result as { page?: object }).page, items: JSON.parse(json) } : JSON.parse(json)
  }
  const serialise = serialiserOf(schema, results)
  if (!('pageOf' in schema)) return JSON.parse(serialise(result))
  const { items, ...rest } = result as { items: unknown }
  return { ...rest, items: JSON.parse(serialise(items)) }
}

/** What a function returns; another value where it throws a refusal. */
async function notRefused<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return otherwise
    throw error
  }
}

/** Creates what performs operations without HTTP: by the same subjects, checks, parameters and presenters. */
export function createPerformer({ platform, operations }: PerformerOptions): Performer {
  const results = operations.map(({ result }) => result[1])
  const byId = new Map(operations.map((operation) => [operation.id, operation]))
  /** The operation as it is mounted: the edition of the server decides what is refused. */
  function mounted(operation: Operation): Operation {
    const found = byId.get(operation.id)
    if (!found || found.isAbsent) throw routeNotFound()
    return found
  }
  const actorFor = (operation: Operation, { actor }: Caller) => (operation.ownAuthentication ? anonymous : actor)
  /** What is known before an operation is performed. @throws ApiError where the caller may not perform it */
  async function permitting(given: Operation, caller: Caller, call: Record<string, unknown>) {
    const operation = mounted(given)
    requireScope(caller.actor, operation.scopes)
    const info = requestOf(operation, caller, call)
    const subject = await authorised(platform, operation, info, caller.actor, findOnce(platform, caller))
    return { operation, platform, subject, actor: caller.actor, params: knownParametersOf(operation, info) }
  }
  const may: Performer['may'] = (given, caller, call) =>
    notRefused(async () => {
      const { operation, ...context } = await permitting(given, caller, call)
      await operation.permits?.(context)
      return true
    }, false)

  return {
    async perform(given, caller, call, headers) {
      const operation = mounted(given)
      const actor = actorFor(operation, caller)
      requireScope(actor, operation.scopes)
      const answer: Answer = { status: operation.result[0], headers: {} }
      const isRead = operation.method === 'GET'
      try {
        const find = isRead ? findOnce(platform, caller) : undefined
        const { result, page } = await runOperation(
          platform,
          operation,
          requestOf(operation, caller, call, headers),
          actor,
          answer,
          find,
        )
        return { ...answer, value: (await jsonValueOf(operation, result, results)) as never, page }
      } finally {
        if (!isRead) caller.found.clear()
      }
    },
    may,
    async mayEach(given, caller, calls) {
      const [first] = calls
      if (!first) return []
      return notRefused(
        async () => {
          const { operation, params: _, ...context } = await permitting(given, caller, first)
          if (!operation.permitsEach) return Promise.all(calls.map((call) => may(given, caller, call)))
          const known = calls.map((call) => knownParametersOf(operation, requestOf(operation, caller, call)))
          return operation.permitsEach({ ...context, calls: known })
        },
        calls.map(() => false),
      )
    },
  }
}
