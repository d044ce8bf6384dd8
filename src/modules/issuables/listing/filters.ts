import { amongValues, atLeast, atMost, each, equalOrWord, negated } from '../../../infra/database/index.ts'
import { confidential, dueDate, iids, issueType, otherWeight, state } from './store/filters/columns.ts'
import { labels, otherLabels } from './store/filters/labels.ts'
import {
  assignedTo,
  assigneeOrWord,
  byUsername,
  ofCaller,
  ownReaction,
  writtenBy,
  writtenByOther,
} from './store/filters/people.ts'
import { iterationId, iterationTitle, milestoneId, milestoneTitle, otherMilestoneId } from './store/filters/plans.ts'
import { search } from './store/filters/search.ts'

const assignees = { assignee_id: assigneeOrWord, assignee_username: each(byUsername(assignedTo)) }
const authors = { author_id: writtenBy, author_username: byUsername(writtenBy) }
const times = {
  created_after: atLeast('created_at'),
  created_before: atMost('created_at'),
  updated_after: atLeast('updated_at'),
  updated_before: atMost('updated_at'),
}
const iterations = { iteration_id: iterationId, iteration_title: iterationTitle }
const milestones = { milestone: milestoneTitle, milestone_id: milestoneId }

/** The filters of issuables by their parameters, in the order in which rows are tested (contract 16, Filters). */
export const issuableFilters = {
  ...assignees,
  ...authors,
  confidential,
  ...times,
  due_date: dueDate,
  health_status: equalOrWord('health_status'),
  iids,
  search,
  issue_type: issueType,
  ...iterations,
  labels,
  ...milestones,
  my_reaction_emoji: ownReaction,
  scope: ofCaller,
  state,
  weight: equalOrWord('weight'),
}

/** The filters of the hash `not`: which rows are left out. Rows without a value are kept. */
export const issuableExclusions = {
  assignee_id: negated(assigneeOrWord),
  assignee_username: negated(assignees.assignee_username),
  author_id: negated(writtenBy),
  author_username: writtenByOther,
  iids: negated(amongValues('iid')),
  iteration_id: negated(iterationId),
  iteration_title: negated(iterationTitle),
  labels: otherLabels,
  milestone: negated(milestoneTitle),
  milestone_id: otherMilestoneId,
  my_reaction_emoji: negated(ownReaction),
  weight: otherWeight,
}
