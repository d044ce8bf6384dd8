import type { Offering, Tier } from '../../config.ts'
import type { Actor } from './actor.ts'
import { type ApiError, preconditionFailed } from './errors.ts'
import type { ListOptions, PageRequest } from './pages/pagination.ts'
import {
  atLeastOneMissing,
  exactlyOneMissing,
  mutuallyExclusive,
  parameterErrors,
} from './parameters/parameter-errors.ts'
import { type ParamSet, type ParamValues, type Problem, readParameters } from './parameters/params.ts'
import { header, type RequestInfo } from './request.ts'
import type { ResultSchema, ResultValue, StreamedJson } from './results.ts'
import type { TSchema } from './schema.ts'
import type { Scopes } from './scopes.ts'
import type { Subject } from './subject.ts'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The names of the parameters in a path. */
type PathNames<Path extends string> = string extends Path
  ? never
  : Path extends `${string}:${infer Name}/${infer Rest}`
    ? Name | PathNames<`/${Rest}`>
    : Path extends `${string}:${infer Name}`
      ? Name
      : never

/** Path parameters that are text: neither the subject's nor declared in `params`. */
type PathTexts<Path extends string, P> = { [K in Exclude<PathNames<Path>, 'id' | keyof P>]: string }

/**
 * Requires that a resource was last changed before the time that the caller names, if any (contract 00).
 * @param at ISO text of the last change
 * @throws ApiError 412
 */
export type Unmodified = (at: string) => void

/** The argument of an operation's `run`. */
export type Context<E, S, Path extends string, P extends ParamSet> = {
  platform: E
  subject: S
  actor: Actor
  /** The declared parameters, and the path's. */
  params: ParamValues<P> & PathTexts<Path, P>
  /** The requested page; only for lists. */
  page: PageRequest
  request: RequestInfo
  /**
   * Answers with another status than that of `result`.
   * @throws Error when the operation does not declare it in `answers`
   */
  setStatus(status: number): void
  setHeader(name: string, value: string): void
  /** For operations that delete. */
  unmodified: Unmodified
}

/** What is known before an operation is performed. */
type Permitting<E, S, P extends ParamSet> = { platform: E; subject: S; actor: Actor; params: Partial<ParamValues<P>> }

/** Throttles that some operations have in place of that of the API: the settings are `throttle_authenticated_<name>` and so on. */
export type OwnThrottleName = 'packages_api' | 'files_api'

/** A throttle of some operations. `caller`: the caller where the operations authenticate them; null for anonymous ones. */
export type OwnThrottle = { name: OwnThrottleName; caller?: () => Promise<string | null> }

/**
 * An operation of the API as a value. The router, the validation, the permission check, the OpenAPI document and the
 * coverage tests are derived from it.
 */
type OperationSpec<E, X, S, A extends string, Path extends string, P extends ParamSet, R extends ResultSchema> = {
  /** `branches.create` */
  id: string
  /** The contract's number: `1.13`, or `x.branch_exists`. */
  contract: string
  method: Method
  /** Below `/api/v4`, or from the root with `root: true`. */
  path: Path
  root?: boolean
  /** Further paths of the operation, with the same parameters. They are not in the OpenAPI document. */
  otherPaths?: readonly string[]
  /** Parameters of the path that may contain unencoded slashes. Fixed text or the end of the path follows them. */
  spanning?: readonly string[]
  tag: string
  summary: string
  description?: string
  subject: Subject<S, A, E>
  /** Who may: an ability of the subject. */
  allow: NoInfer<A>
  /** Scopes of which a token needs one. */
  scopes: Scopes
  /** Whether a job token may act here. Elsewhere a valid one is ignored, and the caller is anonymous (contract 00). */
  jobToken?: boolean
  /** HTTP Basic carries tokens as well: any user name with that of a user, and `gitlab-ci-token` with that of a job. */
  basic?: true
  /**
   * The operation reads credentials itself, or needs none (OAuth endpoints, public files): the request is not
   * authenticated, and the actor is anonymous.
   */
  ownAuthentication?: true
  /** Another throttle than that of the API, where it is on. */
  throttle?: {
    name: OwnThrottleName
    /** The caller as the throttle counts them, where the operation authenticates them itself; null for anonymous ones. */
    caller?(platform: E, request: RequestInfo): Promise<string | null>
  }
  /** Performed in maintenance as well, although it changes something: what ends maintenance, and signing in. */
  duringMaintenance?: true
  /** Whether pages of any origin may call it, although it is not below `/api` (contract 00, "CORS"). */
  anyOrigin?: true
  /** Answers a file that pages show, outside the API: a session of a browser is taken where no token is sent. It only reads. */
  takesSession?: true
  /** Called with the token of a request before the request is refused because of it, such as a revoked one. */
  refusedToken?(platform: E, text: string): Promise<void>
  params?: P
  /** The body is not read as parameters, whatever its type: `request.bytes` has it. */
  bytes?: true
  /**
   * The body is not read beforehand, whatever its type and size: `request.stream` has it, and `run` reads it once the caller and the
   * parameters of the path and the query are accepted. The value is the media type for the documentation.
   */
  stream?: string
  /** Size limit of an uploaded file in bytes, where it is not that of all operations. */
  largestFileBytes?(platform: E, path: Readonly<Record<string, string>>): Promise<number>
  /** The error for a file above its limit, where it is not 413. */
  fileTooLarge?(): ApiError
  /** The error for a malformed body, where the contract has a special one. */
  malformedBody?(): ApiError
  /** The parameter whose value a JSON body is that is a list; other operations refuse such a body as malformed. */
  listBody?: string & keyof P
  /** The error for credentials that are not accepted or lack the scopes, where the contract has a special one. */
  refusedCredentials?(): ApiError
  /** Size limit of the body in bytes, without files, where it is not that of all operations. */
  largestBodyBytes?: number
  /** One of these must be given. */
  atLeastOne?: readonly (string & keyof P)[]
  /** Parameters that are enough besides those of `atLeastOne`; the refusal, whose text the contract has, does not name them. */
  alsoEnough?: readonly (string & keyof P)[]
  /** One of these must be given, and no more. */
  exactlyOne?: readonly (string & keyof P)[]
  /** Of each group at most one may be given. */
  exclusive?: readonly (readonly (string & keyof P)[])[]
  /** The lowest tier that has the operation; below, callers who find its subject are refused (contract 00). */
  tier?: Exclude<Tier, 'free'>
  /** The error where the tier is too low, where it is not 403. */
  tierRefusal?(): ApiError
  /** The offerings that have the operation; elsewhere there is no such route. */
  offerings?: readonly Offering[]
  /** Set where the tier of the server is too low. */
  isRefused?: boolean
  /** Set where the operation is of another offering than the server. */
  isAbsent?: boolean
  /** Adds the header `Deprecation: true` to answers. */
  deprecated?: boolean
  list?: ListOptions
  /** Status and form of success. */
  result: readonly [status: number, schema: R]
  /** Other statuses that `setStatus` may choose: a description, and the form where the answer has a body of another one. */
  answers?: Readonly<Record<number, string | readonly [description: string, schema: TSchema]>>
  /**
   * Throws where `run` would refuse the caller for a reason that the ability does not say, or not hear some of the parameters. It
   * decides nothing: pages ask before they show a button or a field.
   * @param context with the parameters that are known
   */
  permits?(context: Permitting<E, S, P>): Promise<unknown>
  /**
   * Tells of many calls on one subject what `permits` tells of one, in a number of queries that does not depend on theirs: lists ask it.
   * @returns for each call, in order, whether it would not be refused
   */
  permitsEach?(
    context: Omit<Permitting<E, S, P>, 'params'> & { calls: readonly Partial<ParamValues<P>>[] },
  ): Promise<boolean[]>
  run(context: Context<E, S, Path, P> & X): Promise<ResultValue<R>>
}

/** An operation without its type parameters, as the server and the generators handle it. */
// biome-ignore lint/suspicious/noExplicitAny: operations of all types stand in one list
export type Operation = OperationSpec<any, any, any, any, string, any, any>

type None = Record<never, never>

/** The types of an operation beside its value, by which pages perform it. Nothing at run time. */
export type Typed<Path extends string, P extends ParamSet, R> = {
  readonly typed?: { readonly path: Path; readonly params: P; readonly result: R }
}

type PageCall = { page?: number; per_page?: number; pagination?: 'keyset'; page_token?: string; cursor?: string }

/** The parameters with which an operation is performed inside the server: those of its path and the declared ones. */
export type CallOf<O> =
  O extends Typed<infer Path, infer P, unknown>
    ? { [K in Exclude<PathNames<Path>, keyof P>]: string | number } & Partial<ParamValues<P>> & PageCall
    : Record<string, unknown>

/** What an operation answers inside the server. */
export type AnswerOf<O> = O extends Typed<string, ParamSet, infer R> ? Exclude<ResultValue<R>, StreamedJson> : unknown

/** The declared parameters that can be read; what is wrong with the others is not said. */
export const knownParametersOf = ({ params = {} }: Operation, { raw }: RequestInfo) => readParameters(params, raw, [])

/**
 * Returns the function that declares operations on a platform; the types of the parts are checked against each other.
 * @param extend what `run` gets besides the context
 * @param guard what is asked before `run` of an operation; null for nothing
 */
export function operationsOf<E, X = unknown>(
  extend?: (spec: Operation, context: Context<E, unknown, string, ParamSet>) => X,
  guard?: (spec: Operation) => ((platform: E) => Promise<void>) | null,
) {
  return <S, A extends string, const Path extends string, R extends ResultSchema, P extends ParamSet = None>(
    spec: OperationSpec<E, X, S, A, Path, P, R>,
  ): Operation & Typed<Path, P, R> => {
    const declared = spec as unknown as Operation
    if (!extend) return declared
    const run: Operation['run'] = (context) => declared.run({ ...context, ...extend(declared, context) })
    const ask = guard?.(declared)
    return { ...declared, run: ask ? (context) => ask(context.platform).then(() => run(context)) : run }
  }
}

function isGiven(values: Record<string, unknown>, name: string): boolean {
  return values[name] !== undefined
}

/**
 * Step 12: reads the declared parameters.
 * @throws ApiError 400, forms A and B
 */
export function parametersOf(spec: Operation, request: RequestInfo): ParamValues<ParamSet> {
  const definitions: ParamSet = spec.params ?? {}
  const problems: Problem[] = []
  const values = readParameters(definitions, request.raw, problems) as Record<string, unknown>
  // A number in the path is checked before the other parameters.
  const problemOfPath = problems.find(({ name }) => 'otherwise' in (definitions[name] ?? {}))
  if (problemOfPath) throw parameterErrors([problemOfPath])
  if (problems.length > 0) throw parameterErrors(problems)
  const { exactlyOne, atLeastOne, alsoEnough = [], exclusive = [] } = spec
  if (exactlyOne && !exactlyOne.some((name) => isGiven(values, name))) throw exactlyOneMissing(exactlyOne)
  if (atLeastOne && ![...atLeastOne, ...alsoEnough].some((name) => isGiven(values, name))) {
    throw atLeastOneMissing(atLeastOne)
  }
  for (const group of exactlyOne ? [exactlyOne, ...exclusive] : exclusive) {
    const given = group.filter((name) => isGiven(values, name))
    if (given.length > 1) throw mutuallyExclusive(given)
  }
  for (const [name, text] of Object.entries(request.path)) {
    if (name !== 'id' && !Object.hasOwn(definitions, name)) values[name] = text
  }
  return values
}

/**
 * Step 14, for operations that delete: the caller may name the time after which the object must not have changed. Compared
 * by the second; a date that cannot be read is ignored (contract 00).
 * @param updatedAt ISO text of the object's last change
 * @throws ApiError 412
 */
export function requireUnmodified(request: RequestInfo, updatedAt: string): void {
  const asked = Date.parse(header(request, 'if-unmodified-since') ?? '')
  if (Number.isNaN(asked)) return
  if (Math.floor(Date.parse(updatedAt) / 1000) > Math.floor(asked / 1000)) throw preconditionFailed()
}
