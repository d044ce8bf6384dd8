import { ApiError, requireSignedIn } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { CommandRequest, RunCommands } from '../../notes/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import { assigneesOf } from '../assignees/store.ts'
import type { Issuable } from '../issuable.ts'
import { labelsOf } from '../labels/store.ts'
import type { Command, CommandChanges, CommandContext, CommandRights, Step } from './command.ts'
import { type GivenCommand, readCommands } from './parse.ts'
import { type CommandName, commonCommands } from './table.ts'

/** The quick actions of a kind of issuables. */
export type CommandKind<S> = {
  issuableOf(subject: S): Issuable
  parentOf(subject: S): ProjectOrGroupRef
  /** Those that it shares with other kinds. */
  shared: readonly CommandName[]
  /** Those of its own, by name. */
  own?: Readonly<Record<string, (subject: S, params: CommandRequest<S>['params']) => Command>>
  rightsOf(subject: S, actor: CommandRequest<S>['actor']): CommandRights
  /** Carries out what the quick actions change, as its operation of updating does. */
  update(platform: Platform, subject: S, actor: CommandRequest<S>['actor'], changes: CommandChanges): Promise<unknown>
}

/** Whether a kind has a quick action of this name. */
const has =
  <S>({ shared, own = {} }: CommandKind<S>) =>
  (name: string) =>
    Object.hasOwn(own, name) || (shared as readonly string[]).includes(name)

/** Separates the quick actions of a kind from the rest of a text. */
export function separateCommands<S>(kind: CommandKind<S>, text: string): { body: string; commands: GivenCommand[] } {
  return readCommands(text, has(kind))
}

/** Joins what two quick actions change: labels add up unless the second replaces them, else the second counts. */
function joined(before: CommandChanges, next: CommandChanges): CommandChanges {
  const { add_labels: added = [], remove_labels: removed = [] } = before
  if (next.labels) return { ...before, ...next, add_labels: [], remove_labels: [] }
  const labels = { ...(before.labels && { labels: before.labels }) }
  const without = (titles: readonly string[], others: readonly string[] = []) =>
    titles.filter((one) => !others.includes(one))
  const add_labels = [...without(added, next.remove_labels), ...(next.add_labels ?? [])]
  const remove_labels = [...without(removed, next.add_labels), ...(next.remove_labels ?? [])]
  return { ...before, ...next, ...labels, add_labels, remove_labels }
}

/** The steps of quick actions, in order. Those that the caller may not run, or that do not apply, are left out. */
async function stepsOf<S>(
  kind: CommandKind<S>,
  context: CommandContext,
  { subject, params }: Pick<CommandRequest<S>, 'subject' | 'params'>,
  commands: readonly GivenCommand[],
): Promise<Step[]> {
  const steps: Step[] = []
  for (const { name, argument } of commands) {
    const made = Object.hasOwn(kind.own ?? {}, name) ? kind.own?.[name]?.(subject, params) : undefined
    const command: Command | undefined = made ?? commonCommands[name as CommandName]
    if (!command || (command.needs !== null && !context[command.needs])) continue
    const step = await command.run(context, argument)
    if (step) steps.push(step)
  }
  return steps
}

/** Reads the arguments of quick actions. Nothing is changed. @throws ApiError 400 for one that it cannot use */
export async function planCommands<S>(
  platform: Platform,
  kind: CommandKind<S>,
  request: Omit<CommandRequest<S>, 'body'>,
  commands: readonly GivenCommand[],
): Promise<Step[]> {
  const { subject } = request
  const actor = requireSignedIn(request.actor)
  const issuable = kind.issuableOf(subject)
  const { type, id } = issuable
  const context: CommandContext = {
    ...{ platform, actor, issuable, parent: kind.parentOf(subject), ...kind.rightsOf(subject, actor) },
    assigneeIds: [...((await assigneesOf(platform.database.read, type, [id])).get(id) ?? [])],
  }
  return stepsOf(kind, context, request, commands)
}

/**
 * Runs quick actions: first what they change by one update, then the rest in order (contract 16, "Rules").
 * @throws ApiError 400 for one that fails; nothing is changed before all arguments were read
 */
export async function applyCommands<S>(
  platform: Platform,
  kind: CommandKind<S>,
  request: Omit<CommandRequest<S>, 'body'>,
  commands: readonly GivenCommand[],
): Promise<Omit<RunCommands, 'body'>> {
  const { subject } = request
  const actor = requireSignedIn(request.actor)
  const { type, id } = kind.issuableOf(subject)
  const db = platform.database.read
  const steps = await planCommands(platform, kind, request, commands)
  const update = steps.reduce<CommandChanges>((all, step) => (step.update ? joined(all, step.update) : all), {})
  const { add_labels, remove_labels, ...others } = update
  const given = {
    ...others,
    ...(add_labels?.length && { add_labels }),
    ...(remove_labels?.length && { remove_labels }),
  }
  if (Object.keys(given).length > 0) await kind.update(platform, subject, actor, given)
  for (const { effect } of steps) await effect?.()
  const changes = Object.assign({}, ...steps.map((step) => step.changes)) as Record<string, unknown>
  if ('label_ids' in changes) {
    changes.label_ids = ((await labelsOf(db, type, [id])).get(id) ?? []).map((label) => label.id).sort((a, b) => a - b)
  }
  return { changes, summary: steps.map(({ summary }) => summary) }
}

/** Runs quick actions of a text that is stored already: those that fail are ignored. */
export async function tryCommands<S>(
  platform: Platform,
  kind: CommandKind<S>,
  request: Omit<CommandRequest<S>, 'body'>,
  commands: readonly GivenCommand[],
): Promise<void> {
  if (commands.length === 0) return
  await applyCommands(platform, kind, request, commands).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
}

/** Runs the quick actions in a note of a kind, for `NoteKind`; null when it has none. */
export function noteCommands<S>(kind: CommandKind<S>) {
  return async (platform: Platform, request: CommandRequest<S>): Promise<RunCommands | null> => {
    const { body, commands } = separateCommands(kind, request.body)
    if (commands.length === 0) return null
    return { body, ...(await applyCommands(platform, kind, request, commands)) }
  }
}
