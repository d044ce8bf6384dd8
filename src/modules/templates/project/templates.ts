import { type Actor, notFound, type PageRequest, type ParamValues, pageOfList, t } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { may, type Project, settingOf } from '../../projects/index.ts'
import { contentOf, type Kind, kinds } from '../instance/kinds.ts'
import { entriesOf } from '../instance/templates.ts'
import { getLicense, licenseEntries } from '../licenses/licenses.ts'
import type { Filling } from '../licenses/params.ts'
import { descriptionNames, descriptionText } from './repository-files.ts'

/** Where templates of descriptions are, which setting has the default one, and who reads them (contract 24, "Templates"). */
const descriptions = {
  issues: { folder: '.gitlab/issue_templates', setting: 'issues_template', read: 'read_issues' },
  merge_requests: {
    folder: '.gitlab/merge_request_templates',
    setting: 'merge_requests_template',
    read: 'read_merge_requests',
  },
} as const

const defaultName = 'Default'

const types = ['dockerfiles', 'gitignores', 'gitlab_ci_ymls', 'licenses', 'issues', 'merge_requests'] as const
type TemplateType = (typeof types)[number]

export const templateType = { type: t.required(t.oneOf(types)) }

const isOfInstance = (type: TemplateType): type is Kind => Object.hasOwn(kinds, type)

async function entriesOfType(platform: Platform, project: Project, actor: Actor, type: TemplateType) {
  if (type === 'licenses') return licenseEntries
  if (isOfInstance(type)) return entriesOf(type)
  const { folder, setting, read } = descriptions[type]
  if (!may(actor, project, read)) return []
  const names = new Set(await descriptionNames(platform, project, folder))
  if (settingOf(project, setting)) names.add(defaultName)
  return [...names].sort().map((name) => ({ key: name, name }))
}

/** The templates of a kind, by key (contract 24, x.project_templates). */
export async function listProjectTemplates(
  platform: Platform,
  project: Project,
  actor: Actor,
  type: TemplateType,
  page: PageRequest,
) {
  return pageOfList(await entriesOfType(platform, project, actor, type), page)
}

async function textOf(
  platform: Platform,
  project: Project,
  actor: Actor,
  type: keyof typeof descriptions,
  name: string,
) {
  const { folder, setting, read } = descriptions[type]
  if (!may(actor, project, read)) return null
  const text = await descriptionText(platform, project, folder, name)
  return text ?? (name === defaultName ? settingOf(project, setting) || null : null)
}

type Wanted = Filling & Pick<ParamValues<typeof templateType>, 'type'> & { name: string }

/** A template (contract 24, x.project_template). @throws ApiError 404 */
export async function getProjectTemplate(
  platform: Platform,
  subject: Project,
  actor: Actor,
  { type, name, ...given }: Wanted,
) {
  if (type === 'licenses') return getLicense(platform, actor, name, given, 'Template')
  const content = isOfInstance(type) ? await contentOf(type, name) : await textOf(platform, subject, actor, type, name)
  if (content === null) throw notFound('Template')
  return { name, content }
}
