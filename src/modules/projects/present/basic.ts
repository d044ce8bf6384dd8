import { forms, type Static, type TSchema, Type } from '../../../api/index.ts'
import { avatarFile, namespaceMembers } from '../../namespaces/index.ts'
import { presentUserBasic } from '../../users/index.ts'
import type { ProjectFacts } from './facts.ts'
import { type Fields, field, optionalText, type Presented, presenterOf, text, type View } from './field.ts'

/** The address of the project's web page. */
const webUrl = ({ project }: ProjectFacts, view: View) => `${view.externalUrl}/${project.full_path}`

const Namespace = Type.Object(namespaceMembers)

function namespaceOf({ context, owner }: ProjectFacts, view: View): Static<typeof Namespace> {
  const { namespace_id: id, namespace_avatar: avatar, namespace_full_path: fullPath } = context
  const isGroup = context.namespace_kind === 'group'
  const groupAvatar = avatar && `${view.externalUrl}/uploads/-/system/group/avatar/${id}/${avatarFile(avatar)}`
  return {
    id,
    name: context.namespace_name,
    path: context.namespace_path,
    kind: context.namespace_kind,
    full_path: fullPath,
    parent_id: context.namespace_parent_id,
    avatar_url: isGroup || !owner ? groupAvatar : presentUserBasic(owner, view.users).avatar_url,
    web_url: `${view.externalUrl}/${isGroup ? 'groups/' : ''}${fullPath}`,
  }
}

/** The basic level: the members for anonymous users, which other objects embed too. */
export const basicFields = {
  id: field(forms.id, ({ project }) => project.id),
  description: field(optionalText, ({ project }) => project.description),
  name: field(text, ({ project }) => project.name),
  name_with_namespace: field(text, (facts) => `${facts.context.namespace_full_name} / ${facts.project.name}`),
  path: field(text, ({ project }) => project.path),
  path_with_namespace: field(text, ({ project }) => project.full_path),
  created_at: field(forms.timestamp, ({ project }) => project.created_at),
  default_branch: field(optionalText, (facts) => (facts.readsCode ? facts.project.default_branch : undefined)),
  tag_list: field(forms.strings, ({ relations }) => relations.topics),
  topics: field(forms.strings, ({ relations }) => relations.topics),
  ssh_url_to_repo: field(text, ({ project }, view) => `${view.sshPrefix}${project.full_path}.git`),
  http_url_to_repo: field(text, ({ project }, view) => `${view.httpPrefix}${project.full_path}.git`),
  web_url: field(text, webUrl),
  readme_url: field(optionalText, (facts, view) => (facts.readsCode ? readmeUrl(facts, view) : undefined)),
  forks_count: field(Type.Integer(), (facts) => (facts.readsCode ? facts.context.forks_count : undefined)),
  avatar_url: field(optionalText, ({ project: { avatar, id } }, view) =>
    avatar === null ? null : `${view.externalUrl}/uploads/-/system/project/avatar/${id}/${avatarFile(avatar)}`,
  ),
  star_count: field(Type.Integer(), ({ project }) => project.star_count),
  last_activity_at: field(forms.timestamp, ({ project }) => project.last_activity_at),
  visibility: field(text, ({ project }) => project.visibility),
  namespace: field(Namespace, namespaceOf),
  repository_storage: field(text, (facts) =>
    facts.isAdministrator ? (facts.context.storage ?? undefined) : undefined,
  ),
  custom_attributes: field(
    Type.Array(Type.Object({ key: text, value: text })),
    ({ project }, view) => view.customAttributes && (view.customAttributes.get(project.id) ?? []),
  ),
}

function readmeUrl(facts: ProjectFacts, view: View): string | null {
  const { default_branch: branch, readme_path: path } = facts.project
  if (branch === null || path === null) return null
  return `${webUrl(facts, view)}/-/blob/${encodeURI(branch)}/${encodeURIComponent(path)}`
}

/** The members of an object schema, those optional that may be left out. */
export function schemaOfFields(fields: Fields, isRequired: (name: string) => boolean) {
  const entries = Object.entries(fields).map(([name, { schema }]) => {
    return [name, isRequired(name) ? schema : Type.Optional(schema)]
  })
  return Object.fromEntries(entries) as Record<string, TSchema>
}

/** Members of the basic level that are hidden from callers without access to the code. */
const needingAccess = new Set([
  'default_branch',
  'readme_url',
  'forks_count',
  'repository_storage',
  'custom_attributes',
])
/** Whether a member is in every presented project. */
export const isAlwaysThere = (name: string) => name in basicFields && !needingAccess.has(name)

type PresentedBasicProject = Presented<typeof basicFields> & { id: number }

/** A project at the basic level (contract 21, Project). */
export const BasicProject = Type.Unsafe<PresentedBasicProject>(
  Type.Object(schemaOfFields(basicFields, isAlwaysThere), { title: 'BasicProject' }),
)

const present = presenterOf(basicFields)

/** A project at the basic level. */
export function presentBasic(facts: ProjectFacts, view: View): PresentedBasicProject {
  return present(facts, view) as PresentedBasicProject
}
