import type { Html } from '../../html/index.ts'

/** A quick action with its argument, and what it does. */
type Action = readonly [command: string, meaning: string]

const ofAll: readonly Action[] = [
  ['/close', 'Close this'],
  ['/reopen', 'Open it again'],
  ['/title New title', 'Change the title'],
  ['/label ~label', 'Add labels'],
  ['/unlabel ~label', 'Remove labels; all without a name'],
  ['/relabel ~label', 'Replace all labels'],
  ['/subscribe', 'Get notified'],
  ['/unsubscribe', 'Get no more notifications'],
]

const ofBoth: readonly Action[] = [
  ...ofAll,
  ['/assign @user', 'Add assignees'],
  ['/unassign @user', 'Remove assignees; all without a name'],
  ['/milestone %title', 'Set the milestone'],
  ['/remove_milestone', 'Remove the milestone'],
  ['/estimate 3h', 'Set the estimated time'],
  ['/remove_estimate', 'Remove the estimate'],
  ['/spend 1h 30m', 'Add spent time; a minus subtracts'],
  ['/remove_time_spent', 'Remove the spent time'],
  ['/lock', 'Let only members comment'],
  ['/unlock', 'Let everyone comment again'],
  ['/todo', 'Put it on your to-do list'],
  ['/done', 'Mark your to-do as done'],
]

const kinds = {
  epic: [...ofAll, ['/confidential', 'Let only members who plan read it']],
  issue: [
    ...ofBoth,
    ['/due 2030-01-31', 'Set the due date; also `tomorrow`, `in 2 weeks`'],
    ['/remove_due_date', 'Remove the due date'],
    ['/weight 3', 'Set the weight'],
    ['/clear_weight', 'Remove the weight'],
    ['/epic &1', 'Put it into an epic'],
    ['/remove_epic', 'Take it from its epic'],
    ['/iteration *iteration:1', 'Set the iteration by its id'],
    ['/remove_iteration', 'Remove the iteration'],
    ['/health_status on_track', 'Also `needs_attention`, `at_risk`'],
    ['/clear_health_status', 'Remove the health status'],
    ['/severity high', 'Set the severity of an incident'],
    ['/confidential', 'Let only members read it'],
    ['/relate #1', 'Link another issue'],
    ['/blocks #1', 'This one blocks the other'],
    ['/blocked_by #1', 'The other one blocks this'],
    ['/duplicate #1', 'Close it as a duplicate'],
    ['/move group/project', 'Move it to another project'],
    ['/clone group/project', 'Copy it, with `--with_notes` also its comments'],
  ],
  merge_request: [
    ...ofBoth,
    ['/draft', 'Mark as a draft'],
    ['/ready', 'Mark as ready'],
    ['/assign_reviewer @user', 'Ask for a review'],
    ['/unassign_reviewer @user', 'Remove reviewers'],
    ['/approve', 'Approve'],
    ['/unapprove', 'Withdraw your approval'],
    ['/merge', 'Merge, or merge when the pipeline succeeds'],
    ['/rebase', 'Rebase the source branch'],
    ['/target_branch main', 'Change the target branch'],
  ],
} satisfies Readonly<Record<string, readonly Action[]>>

/** Kinds of objects whose comments may have quick actions. */
export type QuickActionKind = keyof typeof kinds

/** The names of the quick actions that the help of a kind has. */
export const helpedActions = (kind: QuickActionKind): string[] =>
  kinds[kind].map(([command]) => command.slice(1).split(' ', 1)[0] ?? '')

/** The quick actions that a comment may have, folded. */
export function QuickActions({ kind }: { kind: QuickActionKind }): Html {
  return (
    <details class="quick-actions">
      <summary class="quiet">Quick actions</summary>
      <p class="soft">Each on a line of its own in a comment.</p>
      <dl>
        {kinds[kind].map(([command, meaning]) => (
          <div>
            <dt>
              <code>{command}</code>
            </dt>
            <dd>{meaning.replaceAll('`', '')}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
