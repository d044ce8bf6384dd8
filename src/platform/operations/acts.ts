import { type Actor, isAdministrator, type Operation } from '../../api/index.ts'
import type { Tx } from '../../infra/database/index.ts'
import type { Platform } from '../platform.ts'
import { react } from '../reactions.ts'

/** What was acted on: a user, an application, the instance … */
export type ActTarget = {
  kind: 'user' | 'group' | 'project' | 'application' | 'runner' | 'instance'
  id: number | null
}

/** What an act tells besides names. It is shown to owners: no value that may be a secret. */
export type Told = {
  /** The attribute that changed, where an act is about one. */
  change?: string
  from?: string
  to?: string
  /** The role that a member has got, or had. */
  as?: string
  /** How a user signed in. */
  with?: 'standard' | 'two-factor'
}

/** An act of an administrator, or on the settings of a project or group. */
type RecordedAct = {
  /** The id of the operation whose rule was carried out. */
  name: string
  /** Null where no account did it. */
  actorId: number | null
  actorName: string
  /** How the administrator was authenticated: the kind of the credential, and its id. */
  credential: string
  target: ActTarget
  /** Which part of the target: the id of a hook, the key of a variable, the name of a rule. */
  detail: string | null
  /** Names of what changed; values may be secret. */
  changed: readonly string[]
  told: Told
  /** The address of the client; null where no request did it. */
  ip: string | null
}

declare module '../platform.ts' {
  interface Events {
    /** An administrator acted as such on another account or on the instance, or a user changed what protects a project or group. */
    'administrator.acted': RecordedAct
  }
}

export const instanceTarget: ActTarget = { kind: 'instance', id: null }

async function write(platform: Platform, tx: Tx, actor: Actor, act: Omit<RecordedAct, keyof ReturnType<typeof by>>) {
  if (actor.kind === 'user') await react(platform, tx, 'administrator.acted', { ...act, ...by(actor) })
}

function by({ userId, username, credential: { kind, id }, ip }: Extract<Actor, { kind: 'user' }>) {
  return { actorId: userId, actorName: username, credential: id === null ? kind : `${kind} ${id}`, ip: ip ?? null }
}

const namesOf = (values: Readonly<Record<string, unknown>>) =>
  Object.keys(values).filter((name) => values[name] !== undefined)

type NamedAct = {
  /** The id of the operation that the rule belongs to, whichever carries it out. */
  name: string
  target: ActTarget
  /** Names of parameters; those without a value are left out. */
  changed?: Readonly<Record<string, unknown>>
  detail?: string | number
  told?: Told
  /** Whether the act of any user is recorded, also on the own account. */
  byAll?: true
}

/**
 * Records an act in the transaction of a rule that several operations carry out, or that callers may carry out on
 * themselves. What needs no administrator is no such act, unless it gives or ends access to an account (`byAll`).
 */
export async function recordAct(
  platform: Platform,
  tx: Tx,
  actor: Actor | undefined,
  { name, target, changed = {}, detail, told = {}, byAll }: NamedAct,
): Promise<void> {
  if (!actor || !(byAll || isAdministrator(actor))) return
  await write(platform, tx, actor, { name, target, detail: textOf(detail), changed: namesOf(changed), told })
}

const textOf = (detail: string | number | null = null) => (detail === null ? null : String(detail))

/**
 * Records the act of the running operation, in the transaction of its effect, with the names of its parameters and never
 * their values. On a project, a group or a runner the acts of all users are recorded, elsewhere those of administrators.
 * @param detail which part of the target
 * @param more the target, where the path of the operation does not name it, and what else is recorded
 */
export type Act = (tx: Tx, detail?: string | number | null, more?: Told & { target?: ActTarget }) => Promise<void>

/** What the path of an operation names, in the words of targets. */
const kindsByPath = { projects: 'project', groups: 'group', users: 'user' } as const

/** The target that begins the path of an operation: `/projects/:id…`, `/groups/:id…`, `/users/:id…`, else the instance. */
function targetOf({ path }: Operation, { subject, params }: Running): ActTarget {
  const [, root = ''] = /^\/(projects|groups|users)\/:id(?:\/|$)/.exec(path) ?? []
  if (root === '') return instanceTarget
  const { id } = (root === 'users' ? params : subject) as { id: number }
  return { kind: kindsByPath[root as keyof typeof kindsByPath], id }
}

type Running = { platform: Platform; subject: unknown; actor: Actor; params: Readonly<Record<string, unknown>> }

/** The act of an operation that runs. */
export function actOf(spec: Operation, running: Running): Act {
  const { platform, actor, params } = running
  return async (tx, detail = null, { target = targetOf(spec, running), ...told } = {}) => {
    const isForAll = target.kind === 'project' || target.kind === 'group' || target.kind === 'runner'
    if (!isForAll && !isAdministrator(actor)) return
    const given = namesOf(params).filter((name) => !spec.path.includes(`:${name}`))
    const changed = told.change === undefined ? given : [told.change]
    await write(platform, tx, actor, { name: spec.id, target, changed, detail: textOf(detail), told })
  }
}

const longestToldValue = 255

function toldValue(value: unknown): string | undefined {
  const isScalar = ['string', 'number', 'boolean'].includes(typeof value)
  const text = String(value)
  return isScalar && text.length <= longestToldValue ? text : undefined
}

type Attributes = Readonly<Record<string, unknown>>

/**
 * Records each attribute that changed as an act of its own, with its values before and after: they are those that all see who see
 * the target.
 */
export async function recordChanges(tx: Tx, act: Act, before: Attributes, after: Attributes): Promise<void> {
  for (const change of Object.keys(after)) {
    if (JSON.stringify(before[change]) === JSON.stringify(after[change])) continue
    const [from, to] = [toldValue(before[change]), toldValue(after[change])]
    await act(tx, null, { change, ...(from !== undefined && { from }), ...(to !== undefined && { to }) })
  }
}
