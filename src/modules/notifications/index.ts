import type { Module } from '../../platform/index.ts'
import { mailJob } from './mails/send.ts'
import { notificationTwins, ownNotificationsGet, ownNotificationsUpdate } from './settings/operations.ts'
import { dueJob } from './telling/project-work.ts'
import { tellJob } from './telling/tell.ts'
import * as unsubscribing from './unsubscribing/operations.ts'

export { notificationTwins, ownNotificationsGet, ownNotificationsUpdate } from './settings/operations.ts'
export { levelNumbers } from './settings/settings.ts'
export { tellPipeline, tellRelease } from './telling/project-work.ts'
export {
  tellApproved,
  tellChangedRequest,
  tellIssue,
  tellMerged,
  tellNote,
  tellRequest,
  tellReview,
  tellUnapproved,
} from './telling/reactions.ts'

/** What users are notified of by mail (contract 25, section 5). Its reactions are listed in the reactions. */
export const notifications: Module = {
  name: 'notifications',
  tags: { 'Notification settings': 'What users want to be told by mail.' },
  operations: [
    ownNotificationsGet,
    ownNotificationsUpdate,
    ...Object.values(notificationTwins).flatMap((twin) => Object.values(twin)),
    ...Object.values(unsubscribing),
  ],
  jobs: [tellJob, dueJob, mailJob],
}
