import { badRequest, dayOf } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import {
  type Command,
  type CommandContext,
  type CommandKind,
  commonCommands,
  ownerOf,
  referencesIn,
} from '../../issuables/index.ts'
import { visibleProject } from '../../projects/index.ts'
import { type Issue, isPlanner, issuableOf, mayChange, readableIssue } from '../core/access.ts'
import { markDuplicate } from '../core/duplicate.ts'
import type { IssueChanges } from '../core/params.ts'
import { updateIssue } from '../core/update.ts'
import { type LinkType, linkIssues } from '../links/links.ts'
import { cloneIssue, moveIssue } from '../moves/move.ts'

const cannotApply = (name: string) => badRequest(`Could not apply ${name} command.`)

/** The issue that an argument refers to, if the caller can read it. @throws ApiError 400 */
async function namedIssue({ platform, actor, parent }: CommandContext, name: string, argument: string): Promise<Issue> {
  const { read: db } = platform.database
  const today = dayOf(platform.clock.now())
  const [reference] = referencesIn(argument, platform.externalUrl).filter(({ type }) => type === 'Issue')
  if (!reference) throw cannotApply(name)
  const project = await visibleProject(db, reference.path ?? String(parent.id), actor, today)
  const found = project && (await readableIssue(db, project, reference.iid, actor))
  if (!found) throw cannotApply(name)
  return found
}

const sentences: Record<LinkType, string> = {
  relates_to: 'Marked this issue as related to',
  blocks: 'Marked this issue as blocking',
  is_blocked_by: 'Marked this issue as blocked by',
}

/** Links the issue to the one of the argument. */
const link =
  (name: string, type: LinkType) =>
  (issue: Issue): Command => ({
    needs: 'mayChange',
    async run(context, argument) {
      const other = await namedIssue(context, name, argument)
      if (other.row.id === issue.row.id) throw cannotApply(name)
      const { platform, actor } = context
      const origin = { userId: actor.userId, at: now(platform.clock) }
      const effect = () => linkIssues(platform, { issue, other, type }, origin)
      return { effect, changes: {}, summary: `${sentences[type]} ${argument.trim()}.` }
    },
  })

const duplicate = (issue: Issue): Command => ({
  needs: 'mayChange',
  async run(context, argument) {
    const other = await namedIssue(context, 'duplicate', argument)
    if (other.row.id === issue.row.id) throw cannotApply('duplicate')
    const effect = () => markDuplicate(context.platform, issue, other, context.actor)
    return {
      effect,
      changes: { state_event: 'close' },
      summary: `Closed this issue. Marked as a duplicate of ${argument.trim()}.`,
    }
  },
})

/** Moves or copies the issue to the project of the argument. */
const toProject =
  (name: 'move' | 'clone') =>
  (issue: Issue): Command => ({
    needs: 'mayPlan',
    async run({ platform, actor }, argument) {
      const [path = '', ...options] = argument.trim().split(/\s+/)
      const today = dayOf(platform.clock.now())
      const own = name === 'clone' && path === '' ? issue.project : null
      const target = own ?? (await visibleProject(platform.database.read, path, actor, today))
      if (!target) throw cannotApply(name)
      const withNotes = options.includes('--with_notes')
      const effect = () =>
        name === 'move'
          ? moveIssue(platform, issue, actor, target.id)
          : cloneIssue(platform, issue, actor, { projectId: target.id, withNotes })
      const done = name === 'move' ? 'Moved' : 'Cloned'
      return { effect, changes: {}, summary: `${done} this issue to ${target.full_path}.` }
    },
  })

/** The quick actions of issues (contract 16, "Rules"). */
export const issueCommands: CommandKind<Issue> = {
  issuableOf: ({ row }) => issuableOf(row),
  parentOf: ({ project }) => ownerOf(project),
  shared: Object.keys(commonCommands) as (keyof typeof commonCommands)[],
  own: {
    relate: link('relate', 'relates_to'),
    blocks: link('blocks', 'blocks'),
    blocked_by: link('blocked_by', 'is_blocked_by'),
    duplicate,
    move: toProject('move'),
    clone: toProject('clone'),
  },
  rightsOf: (issue, actor) => ({
    mayChange: mayChange(actor, issue),
    mayPlan: mayChange(actor, issue) && isPlanner(actor, issue.project),
  }),
  update: (platform, issue, actor, changes) => updateIssue(platform, issue, actor, changes as IssueChanges),
}
