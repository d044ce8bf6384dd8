import type { Actor } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type CommandKind, separateCommands, tryCommands } from './run.ts'

type Opening<S, Made> = {
  /** Creates the issuable, with this description in place of the given one. */
  create(description: string | undefined): Promise<Made>
  /** What the quick actions are about; null when the caller cannot see what they have created. */
  subjectOf(made: Made): Promise<S | null>
  /** The issuable as it is after the quick actions. */
  present(subject: S): Promise<Made>
}

/**
 * Creates an issuable, and runs the quick actions in its description, which are not part of it (contract 16, x.issue_create).
 * Those that fail are ignored: the issuable exists already.
 */
export async function openWithCommands<S, Made>(
  platform: Platform,
  kind: CommandKind<S>,
  { actor, description }: { actor: Actor; description: string | null | undefined },
  { create, subjectOf, present }: Opening<S, Made>,
): Promise<Made> {
  const { body, commands } = separateCommands(kind, description ?? '')
  const made = await create(commands.length > 0 ? body : (description ?? undefined))
  const subject = commands.length > 0 ? await subjectOf(made) : null
  if (!subject) return made
  await tryCommands(platform, kind, { subject, actor, params: {} }, commands)
  return present(subject)
}
