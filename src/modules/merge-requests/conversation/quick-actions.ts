import { badRequest, t } from '../../../api/index.ts'
import { type Command, type CommandKind, noteCommands, ownerOf, type Step, usernamesIn } from '../../issuables/index.ts'
import { usersByUsernames } from '../../users/index.ts'
import { approve, unapprove } from '../approvals/approvals.ts'
import { reviewersOf } from '../approvals/store.ts'
import { asDraft, isDraft, withoutDraftMark } from '../core/drafts.ts'
import { isPlanner } from '../core/plan.ts'
import { changeMergeRequest, mayUpdate } from '../core/update.ts'
import { mergeOrWait } from '../merging/auto-merge.ts'
import { requestRebase } from '../merging/rebase.ts'
import { issuableOf, type ProjectMergeRequest } from '../subject.ts'

/** Parameters of a new note besides those of all kinds (contract 19, x.mr_note_create). */
export const noteParams = {
  merge_request_diff_head_sha: t.string({ description: 'The head that the caller has seen; needed with `/merge`.' }),
}

/** Marks as a draft, or as ready. */
function draft(wanted: boolean): Command {
  return {
    needs: 'mayChange',
    run({ issuable: { title } }): Step | null {
      if (isDraft(title) === wanted) return null
      const next = wanted ? asDraft(title) : withoutDraftMark(title)
      const summary = wanted ? 'Marked this merge request as a draft.' : 'Marked this merge request as ready.'
      return { update: { title: next }, changes: { title: next }, summary }
    },
  }
}

/** Adds or removes reviewers. */
function reviewers(found: ProjectMergeRequest, mode: 'add' | 'remove'): Command {
  return {
    needs: 'mayPlan',
    async run({ platform, actor }, argument) {
      const db = platform.database.read
      const named = (await usersByUsernames(db, usernamesIn(argument, actor.username))).map(({ id }) => id)
      if (named.length === 0 && mode === 'add') throw badRequest('Could not apply assign_reviewer command.')
      const before = ((await reviewersOf(db, [found.row.id])).get(found.row.id) ?? []).map(({ user_id }) => user_id)
      const others = named.length === 0 ? [] : before.filter((id) => !named.includes(id))
      const reviewer_ids = mode === 'add' ? [...new Set([...before, ...named])] : others
      return {
        effect: () => changeMergeRequest(platform, found, actor, { reviewer_ids }),
        changes: { reviewer_ids },
        summary: mode === 'add' ? 'Requested a review.' : 'Removed reviewers.',
      }
    },
  }
}

/** The quick actions of merge requests (contract 16, "Quick actions"; 19, "Operations: notes, threads, reactions"). */
export const mergeRequestCommands: CommandKind<ProjectMergeRequest> = {
  issuableOf: ({ row }) => issuableOf(row),
  parentOf: ({ project }) => ownerOf(project),
  shared: [
    ...(['close', 'reopen', 'title', 'lock', 'unlock', 'assign', 'unassign', 'label', 'unlabel', 'relabel'] as const),
    ...(['milestone', 'remove_milestone', 'estimate', 'remove_estimate', 'spend', 'remove_time_spent'] as const),
    ...(['subscribe', 'unsubscribe', 'todo', 'done'] as const),
  ],
  own: {
    draft: () => draft(true),
    ready: () => draft(false),
    assign_reviewer: (found) => reviewers(found, 'add'),
    unassign_reviewer: (found) => reviewers(found, 'remove'),
    approve: (found) => ({
      needs: null,
      run: ({ platform, actor }) => ({
        effect: () => approve(platform, found, actor, {}),
        changes: { approve: true },
        summary: 'Approved the current merge request.',
      }),
    }),
    unapprove: (found) => ({
      needs: null,
      run: ({ platform, actor }) => ({
        effect: () => unapprove(platform, found, actor),
        changes: { unapprove: true },
        summary: 'Withdrew the approval of the current merge request.',
      }),
    }),
    merge: (found, { merge_request_diff_head_sha: sha }) => ({
      needs: null,
      run({ platform, actor }) {
        if (typeof sha !== 'string' || sha === '') throw badRequest('Could not apply merge command.')
        return {
          effect: () => mergeOrWait(platform, found, actor, { sha, auto_merge: true }),
          changes: { merge: sha },
          summary: 'Merged this merge request, or scheduled its merge.',
        }
      },
    }),
    rebase: (found) => ({
      needs: null,
      run: ({ platform, actor }) => ({
        effect: () => requestRebase(platform, found, actor, {}),
        changes: { rebase: true },
        summary: 'Scheduled a rebase of the branch.',
      }),
    }),
    target_branch: (found) => ({
      needs: 'mayChange',
      run({ platform, actor }, branch) {
        if (branch === '') throw badRequest('Could not apply target_branch command.')
        return {
          effect: () => changeMergeRequest(platform, found, actor, { target_branch: branch }),
          changes: { target_branch: branch },
          summary: `Set target branch to ${branch}.`,
        }
      },
    }),
  },
  rightsOf: (found, actor) => ({ mayChange: mayUpdate(actor, found), mayPlan: isPlanner(actor, found.project) }),
  update: (platform, found, actor, changes) => {
    const { title, state_event, assignee_ids, labels, add_labels, remove_labels, milestone_id, discussion_locked } =
      changes
    return changeMergeRequest(platform, found, actor, {
      ...(title !== undefined && { title }),
      ...(state_event !== undefined && { state_event }),
      ...(assignee_ids !== undefined && { assignee_ids }),
      ...(labels !== undefined && { labels }),
      ...(add_labels !== undefined && { add_labels }),
      ...(remove_labels !== undefined && { remove_labels }),
      ...(milestone_id !== undefined && { milestone_id }),
      ...(discussion_locked !== undefined && { discussion_locked }),
    })
  },
}

/** Runs the quick actions in a note. */
export const quickActions = noteCommands(mergeRequestCommands)
