import type { Operation } from '../../../api/index.ts'
import { notificationTwins, ownNotificationsGet, ownNotificationsUpdate } from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Field, Form } from '../../parts/form.tsx'
import { ownLevels, placeLevels } from '../../parts/notification-menu.tsx'
import { wordOf } from '../../parts/words.ts'

type Setting = { level: string; events?: Readonly<Record<string, boolean>>; notification_email?: string | null }

type FormProps = { visit: Visit; performs: Operation; call?: Record<string, number>; setting: Setting; lead: string }

/** A form for a setting. The events are there once the level is custom. */
function SettingForm({ visit, performs, call = {}, setting, lead }: FormProps) {
  const { level, events = {}, notification_email: address } = setting
  const isOwn = performs === ownNotificationsUpdate
  const choices = isOwn ? ownLevels : placeLevels
  const field = (name: string, options: object) => (
    <Field visit={visit} operation={performs} name={name} options={options} />
  )
  return (
    <div>
      {visit.query.saved && <p role="status">The settings are saved.</p>}
      <Form visit={visit} performs={performs} call={call} then={`${visit.path.split('?', 1)[0]}?saved=1`} class="stack">
        <p>{lead}</p>
        {field('level', {
          label: 'Level',
          value: level,
          choices,
          hint: 'With Custom, the events appear once it is saved.',
        })}
        {isOwn &&
          field('notification_email', { label: 'Address', value: address, hint: 'One of your confirmed addresses.' })}
        {level === 'custom' &&
          Object.entries(events).map(([name, value]) => field(name, { label: wordOf('', name), value, hint: ' ' }))}
        <button class="primary">Save</button>
      </Form>
    </div>
  )
}

/** What the caller is notified of by mail where a project or group has no setting of its own. */
export const ownNotifications = page({
  at: 'instance',
  path: 'profile/notifications',
  nav: { section: 'Account', label: 'Notifications', operation: ownNotificationsGet },
  performs: [ownNotificationsUpdate],
  async show(visit) {
    const setting = await visit.read(ownNotificationsGet, {})
    const lead = 'What you are notified of by mail, where a project or group has no setting of its own.'
    return {
      title: 'Notifications',
      body: <SettingForm visit={visit} performs={ownNotificationsUpdate} setting={setting} lead={lead} />,
    }
  },
})

const pageOf = (kind: 'project' | 'group') => {
  const { get, update } = notificationTwins[kind]
  return page({
    at: kind,
    path: 'notifications',
    nav: { section: 'Settings', label: 'Notifications', operation: get },
    performs: [update],
    async show(visit) {
      const call = { id: visit[kind].id }
      const setting = await visit.read(get, call)
      const lead = `What you are notified of by mail in this ${kind}. Others have settings of their own.`
      return {
        title: 'Notifications',
        body: <SettingForm visit={visit} performs={update} call={call} setting={setting} lead={lead} />,
      }
    },
  })
}

/** What the caller is notified of by mail in a project, or in a group and all below it. */
export const [projectNotifications, groupNotifications] = [pageOf('project'), pageOf('group')] as const
