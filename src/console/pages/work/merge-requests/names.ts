import { named } from '../../../operations.ts'
import { conversationOf } from '../../../parts/discussion/index.ts'

/** The operations on the discussion of a merge request. */
export const requestConversation = conversationOf('merge_request')

/** Operations that merge requests share with issues. */
export const requestOperations = {
  subscribe: named('merge_request_subscriptions.subscribe'),
  unsubscribe: named('merge_request_subscriptions.unsubscribe'),
  participants: named('merge_request_participants.list'),
  todo: named('merge_request_todos.create'),
  setEstimate: named('merge_request_time.set_estimate'),
  resetEstimate: named('merge_request_time.reset_estimate'),
  addSpent: named('merge_request_time.add_spent'),
  resetSpent: named('merge_request_time.reset_spent'),
  upload: named('project_uploads.create'),
}
