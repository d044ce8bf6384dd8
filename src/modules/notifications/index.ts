import type { Module } from '../../platform/index.ts'
import { notificationTwins, ownNotificationsGet, ownNotificationsUpdate } from './settings/operations.ts'

export { levelNumbers } from './settings/settings.ts'

/** What users are told by mail (contract 25, section 5). */
export const notifications: Module = {
  name: 'notifications',
  tags: { 'Notification settings': 'What users want to be told by mail.' },
  operations: [
    ownNotificationsGet,
    ownNotificationsUpdate,
    ...Object.values(notificationTwins).flatMap((twin) => Object.values(twin)),
  ],
}
