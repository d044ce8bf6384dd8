import { onlyIn, type Static, Type } from '../../api/index.ts'
import { type KeyRow, keyMembers, presentKey } from '../keys/index.ts'
import { ProjectSummary, presentProjectSummary } from '../projects/index.ts'
import type { KeyProjectRow, ProjectKeyRow } from './store.ts'

const members = {
  ...keyMembers,
  fingerprint: onlyIn(
    { fips: false },
    Type.String({ description: 'MD5: 16 hexadecimal pairs with colons between them.' }),
  ),
  fingerprint_sha256: Type.String({ description: '`SHA256:` and 43 characters of base64.' }),
}

/** A deploy key without its rights in a project (contract 01, DeployKey). */
export const DeployKey = Type.Object(members, { title: 'DeployKey' })

/** A deploy key of a project. */
export const ProjectDeployKey = Type.Object(
  { ...members, can_push: Type.Boolean({ description: 'Whether it may push to this project.' }) },
  { title: 'ProjectDeployKey' },
)

/** A deploy key with all its projects. */
export const InstanceDeployKey = Type.Object(
  {
    ...members,
    projects_with_write_access: Type.Array(ProjectSummary),
    projects_with_readonly_access: Type.Array(ProjectSummary),
  },
  { title: 'InstanceDeployKey' },
)

export function presentDeployKey(row: KeyRow): Static<typeof DeployKey> {
  const { fingerprint_md5: fingerprint, fingerprint_sha256 } = row
  return { ...presentKey(row), fingerprint, fingerprint_sha256 }
}

export function presentProjectKey(row: ProjectKeyRow): Static<typeof ProjectDeployKey> {
  return { ...presentDeployKey(row), can_push: row.can_push }
}

/** @param projects the projects of the key, by id */
export function presentInstanceKey(row: KeyRow, projects: readonly KeyProjectRow[]): Static<typeof InstanceDeployKey> {
  const summaries = (canPush: boolean) => projects.filter((one) => one.can_push === canPush).map(presentProjectSummary)
  return {
    ...presentDeployKey(row),
    projects_with_write_access: summaries(true),
    projects_with_readonly_access: summaries(false),
  }
}
