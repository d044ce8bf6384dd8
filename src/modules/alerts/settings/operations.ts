import { forms, onlyIn, reading, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { getSettings, updateSettings } from './settings.ts'

const AlertSettings = Type.Object(
  {
    create_issue: Type.Boolean(),
    issue_template_key: forms.nullableString,
    send_email: Type.Boolean(),
    auto_close_incident: Type.Boolean(),
    automatic_fingerprinting: onlyIn(
      { tier: 'premium' },
      Type.Boolean({ description: 'Whether alerts without a fingerprint get one.' }),
    ),
  },
  { title: 'AlertSettings' },
)

const settingsChanges = {
  create_issue: t.boolean({ description: 'Open an incident for every new alert.' }),
  issue_template_key: t.nullable(t.string({ description: 'Template that is added to the description of incidents.' })),
  send_email: t.boolean({ description: 'Notify owners and maintainers of new alerts and of recoveries.' }),
  auto_close_incident: t.boolean({ description: 'Close the incident of an alert that a payload resolves.' }),
}

const shared = {
  tag: 'Alert integrations',
  subject: project,
  path: '/projects/:id/alert_management_settings',
  result: [200, AlertSettings],
} as const

export const alertSettingsGet = operation({
  ...shared,
  id: 'alert_settings.get',
  contract: 'x.alert_settings_get',
  allow: 'read_alert_settings',
  scopes: reading,
  method: 'GET',
  summary: 'Get the alert settings of a project',
  run: ({ platform, subject }) => getSettings(platform, subject),
})

export const alertSettingsUpdate = operation({
  ...shared,
  id: 'alert_settings.update',
  contract: 'x.alert_settings_update',
  allow: 'admin_alert_settings',
  scopes: writing,
  method: 'PUT',
  summary: 'Change the alert settings of a project',
  params: settingsChanges,
  run: ({ platform, subject, params }) => updateSettings(platform, subject, params),
})
