import { named } from '../../../operations.ts'
import { conversationOf } from '../../../parts/discussion/index.ts'

/** The operations on the discussion of an issue. */
export const issueConversation = conversationOf('issue')

/** Operations that issues share with merge requests. */
export const issueOperations = {
  subscribe: named('issue_subscriptions.subscribe'),
  unsubscribe: named('issue_subscriptions.unsubscribe'),
  participants: named('issue_participants.list'),
  todo: named('issue_todos.create'),
  setEstimate: named('issue_time.set_estimate'),
  resetEstimate: named('issue_time.reset_estimate'),
  addSpent: named('issue_time.add_spent'),
  resetSpent: named('issue_time.reset_spent'),
  upload: named('project_uploads.create'),
}

/** The iterations that an issue can be planned for. */
export const iterationsOfProject = named('project_iterations.list')
