import { type Actor, isAdministrator, type Operation } from '../../api/index.ts'
import type { Tx } from '../../infra/database/index.ts'
import type { Platform } from '../platform.ts'
import { react } from '../reactions.ts'

/** What was acted on: a user, an application, the instance … */
export type ActTarget = {
  kind: 'user' | 'group' | 'project' | 'application' | 'runner' | 'instance'
  id: number | null
}

/** An act of an administrator, or on the settings of a project or group. */
type RecordedAct = {
  /** The id of the operation whose rule was carried out. */
  name: string
  actorId: number
  actorName: string
  /** How the administrator was authenticated: the kind of the credential, and its id. */
  credential: string
  target: ActTarget
  /** Which part of the target: the id of a hook, the key of a variable, the name of a rule. */
  detail: string | null
  /** Names of what changed; values may be secret. */
  changed: readonly string[]
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

function by({ userId, username, credential: { kind, id } }: Extract<Actor, { kind: 'user' }>) {
  return { actorId: userId, actorName: username, credential: id === null ? kind : `${kind} ${id}` }
}

const namesOf = (values: Readonly<Record<string, unknown>>) =>
  Object.keys(values).filter((name) => values[name] !== undefined)

/**
 * Records an act in the transaction of a rule that several operations carry out, or that callers may carry out on
 * themselves. What needs no administrator is no such act.
 * @param name the id of the operation that the rule belongs to, whichever carries it out
 * @param changed names of parameters; those without a value are left out
 */
export async function recordAct(
  platform: Platform,
  tx: Tx,
  actor: Actor | undefined,
  { name, target, changed = {} }: { name: string; target: ActTarget; changed?: Readonly<Record<string, unknown>> },
): Promise<void> {
  if (!actor || !isAdministrator(actor)) return
  await write(platform, tx, actor, { name, target, detail: null, changed: namesOf(changed) })
}

/**
 * Records the act of the running operation, in the transaction of its effect, with the names of its parameters and never
 * their values. On a project, a group or a runner the acts of all users are recorded, elsewhere those of administrators.
 * @param detail which part of the target
 * @param target where the path of the operation does not name it
 */
export type Act = (tx: Tx, detail?: string | number | null, target?: ActTarget) => Promise<void>

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
  return async (tx, detail = null, target = targetOf(spec, running)) => {
    const isForAll = target.kind === 'project' || target.kind === 'group' || target.kind === 'runner'
    if (!isForAll && !isAdministrator(actor)) return
    const changed = namesOf(params).filter((name) => !spec.path.includes(`:${name}`))
    await write(platform, tx, actor, {
      ...{ name: spec.id, target, changed },
      detail: detail === null ? null : String(detail),
    })
  }
}
