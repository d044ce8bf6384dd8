import { type Actor, isAdministrator } from '../operation/actor.ts'
import { forbidden, unauthorized } from '../operation/errors.ts'
import { type Context, type Operation, parametersOf, requireUnmodified } from '../operation/operation.ts'
import { pageRequest } from '../operation/pages/pagination.ts'
import type { ParamSet } from '../operation/parameters/params.ts'
import type { RequestInfo } from '../operation/request.ts'
import type { Answer, Outcome } from './responses/answers.ts'

/** Finds the subject of an operation. A page that performs several operations on one subject finds it once. */
export type FindSubject = (operation: Operation, info: RequestInfo, actor: Actor) => Promise<unknown>

const findAnew =
  (platform: unknown): FindSubject =>
  ({ subject }, info, actor) =>
    subject.find(platform, info, actor)

/**
 * Steps 7 to 11 of contract 00, "Order of checks": finds the subject and checks the ability.
 * @throws ApiError 401, 403, 404
 */
export async function authorised(
  platform: unknown,
  operation: Operation,
  info: RequestInfo,
  actor: Actor,
  find: FindSubject = findAnew(platform),
): Promise<unknown> {
  const { subject, allow } = operation
  if (actor.kind === 'anonymous' && !subject.opensToAnonymous(allow)) throw unauthorized()
  if (subject.administratorsOnly(allow) && !isAdministrator(actor)) throw forbidden()
  const found = await find(operation, info, actor)
  if (operation.isRefused) throw operation.tierRefusal?.() ?? forbidden()
  await subject.authorize(actor, found, allow)
  return found
}

/** The page of operations that are no lists, which do not look at it. */
const noPage = pageRequest({}, {})

/**
 * Steps 7 to 14 of contract 00, "Order of checks".
 * @param answer gets the status and the headers that the operation sets
 * @throws ApiError as the API answers it
 */
export async function runOperation(
  platform: unknown,
  operation: Operation,
  info: RequestInfo,
  caller: Actor,
  answer: Answer,
  find?: FindSubject,
): Promise<Outcome> {
  const actor = caller.kind === 'user' ? { ...caller, ip: info.ip } : caller
  const subject = await authorised(platform, operation, info, actor, find)
  const params = parametersOf(operation, info)
  const isList = operation.list !== undefined || 'pageOf' in operation.result[1]
  const page = isList ? pageRequest(info.raw, operation.list ?? {}) : noPage
  const context: Context<unknown, unknown, string, ParamSet> = {
    platform,
    subject,
    actor,
    params,
    page,
    request: info,
    setStatus: (status) => {
      const isDeclared = status === operation.result[0] || operation.answers?.[status] !== undefined
      if (!isDeclared) throw new Error(`${operation.id} does not declare an answer with status ${status}`)
      answer.status = status
    },
    setHeader: (name, value) => {
      answer.headers[name] = value
    },
    unmodified: (at) => requireUnmodified(info, at),
  }
  return { result: await operation.run(context), page }
}
