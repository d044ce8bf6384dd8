import { computed, forms, from, object, type Static, Type } from '../../../api/index.ts'
import { avatarFile, namespaceMembers } from '../../namespaces/index.ts'
import { presentUserBasic } from '../../users/index.ts'
import type { ProjectFacts } from './facts.ts'
import { basic, type View } from './view.ts'

/** The address of the project's web page. */
const webUrl = ({ project }: ProjectFacts, view: View) => `${view.externalUrl}/${project.full_path}`

function readmeUrl(facts: ProjectFacts, view: View): string | null {
  const { default_branch: branch, readme_path: path } = facts.project
  if (branch === null || path === null) return null
  return `${webUrl(facts, view)}/-/blob/${encodeURI(branch)}/${encodeURIComponent(path)}`
}

function avatarUrl({ project: { avatar, id } }: ProjectFacts, { externalUrl }: View): string | null {
  return avatar && `${externalUrl}/uploads/-/system/project/avatar/${id}/${avatarFile(avatar)}`
}

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

const text = Type.String()
const ifReadsCode = ({ readsCode }: ProjectFacts) => readsCode

/** A project at the basic level: for anonymous users, and inside other objects (contract 21, Project). */
export const BasicProject = object('BasicProject', basic, {
  id: from(forms.id, 'project', 'id'),
  description: from(forms.nullableString, 'project', 'description'),
  name: from(text, 'project', 'name'),
  name_with_namespace: computed(text, ({ context, project }) => `${context.namespace_full_name} / ${project.name}`),
  path: from(text, 'project', 'path'),
  path_with_namespace: from(text, 'project', 'full_path'),
  created_at: from(forms.timestamp, 'project', 'created_at'),
  ...basic.ifRow(ifReadsCode, { default_branch: from(forms.nullableString, 'project', 'default_branch') }),
  tag_list: from(forms.strings, 'relations', 'topics'),
  topics: from(forms.strings, 'relations', 'topics'),
  ssh_url_to_repo: computed(text, ({ project }, view) => `${view.sshPrefix}${project.full_path}.git`),
  http_url_to_repo: computed(text, ({ project }, view) => `${view.httpPrefix}${project.full_path}.git`),
  web_url: computed(text, webUrl),
  ...basic.ifRow(ifReadsCode, {
    readme_url: computed(forms.nullableString, readmeUrl),
    forks_count: from(Type.Integer(), 'context', 'forks_count'),
  }),
  avatar_url: computed(forms.nullableString, avatarUrl),
  star_count: from(Type.Integer(), 'project', 'star_count'),
  last_activity_at: from(forms.timestamp, 'project', 'last_activity_at'),
  visibility: from(text, 'project', 'visibility'),
  namespace: computed(Namespace, namespaceOf),
  ...basic.ifRow(({ isAdministrator }) => isAdministrator, {
    repository_storage: computed(Type.Optional(text), ({ context }) => context.storage ?? undefined),
  }),
  ...basic.ifView(({ customAttributes }) => customAttributes !== undefined, {
    custom_attributes: computed(
      Type.Array(Type.Object({ key: text, value: text })),
      ({ project }, { customAttributes }) => customAttributes?.get(project.id) ?? [],
    ),
  }),
})
