import { forms, instance, pageOf, readingUsers, Type, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { listActivities } from './activity.ts'

/** The last day on which a user was active; both members have it (contract 20, x.user_activities). */
const UserActivity = Type.Object(
  { username: Type.String(), last_activity_on: forms.day, last_activity_at: forms.day },
  { title: 'UserActivity' },
)

export const userActivities = operation({
  id: 'user.activities',
  contract: 'x.user_activities',
  method: 'GET',
  path: '/user/activities',
  tag: 'Users',
  summary: 'List the last activity of each user',
  subject: instance,
  allow: 'administrator',
  scopes: readingUsers,
  params: { from: t.datetime({ description: 'The earliest day; six months ago by default.' }) },
  result: [200, pageOf(UserActivity)],
  run: ({ platform, params, page }) => listActivities(platform, params.from, page),
})
