import { instance, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { twinsOf } from '../../projects/index.ts'
import {
  changeOwnSetting,
  changeSetting,
  getOwnSetting,
  getSetting,
  NotificationSetting,
  OwnNotificationSetting,
  ownParams,
  settingParams,
} from './settings.ts'

const tag = 'Notification settings'
const own = { tag, path: '/notification_settings', subject: instance, allow: 'authenticated' } as const

export const ownNotificationsGet = operation({
  ...own,
  id: 'notification_settings.get',
  contract: 'x.notification_get',
  method: 'GET',
  summary: 'Get your notification settings',
  scopes: reading,
  result: [200, OwnNotificationSetting],
  run: ({ platform, actor }) => getOwnSetting(platform, actor),
})

export const ownNotificationsUpdate = operation({
  ...own,
  id: 'notification_settings.update',
  contract: 'x.notification_update',
  method: 'PUT',
  summary: 'Change your notification settings',
  description: 'They count where neither the project nor a group has a setting of its own.',
  scopes: writing,
  params: ownParams,
  result: [200, OwnNotificationSetting],
  run: ({ platform, actor, params }) => changeOwnSetting(platform, actor, params),
})

export const notificationTwins = twinsOf(({ kind, path, subject }) => {
  const at = { tag, path: `${path}/notification_settings`, subject, allow: 'set_notifications' } as const
  return {
    get: operation({
      ...at,
      id: `${kind}_notification_settings.get`,
      contract: `x.${kind}_notification_get`,
      method: 'GET',
      summary: `Get your notification settings for a ${kind}`,
      scopes: reading,
      result: [200, NotificationSetting],
      run: ({ platform, subject, actor }) => getSetting(platform, actor, subject),
    }),
    update: operation({
      ...at,
      id: `${kind}_notification_settings.update`,
      contract: `x.${kind}_notification_update`,
      method: 'PUT',
      summary: `Change your notification settings for a ${kind}`,
      scopes: writing,
      params: settingParams,
      result: [200, NotificationSetting],
      run: ({ platform, subject, actor, params }) => changeSetting(platform, actor, subject, params),
    }),
  }
})
