import { computed, from, object, of, Type } from '../../api/index.ts'
import { type KeyRow, keyFields } from '../keys/index.ts'
import { ProjectSummary } from '../projects/index.ts'
import type { KeyProjectRow, ProjectKeyRow } from './store.ts'

const key = of<KeyRow>()

/** A deploy key without its rights in a project (contract 01, DeployKey). */
export const DeployKey = object('DeployKey', key, {
  ...keyFields,
  ...key.ifEdition(
    { fips: false },
    {
      fingerprint: from(
        Type.String({ description: 'MD5: 16 hexadecimal pairs with colons between them.' }),
        'fingerprint_md5',
      ),
    },
  ),
  fingerprint_sha256: Type.String({ description: '`SHA256:` and 43 characters of base64.' }),
})

/** A deploy key of a project. */
export const ProjectDeployKey = object('ProjectDeployKey', of<ProjectKeyRow>(), {
  ...DeployKey.fields,
  can_push: Type.Boolean({ description: 'Whether it may push to this project.' }),
})

const openedProjects = (canPush: boolean) =>
  computed(Type.Array(ProjectSummary), ({ projects }: { projects: readonly KeyProjectRow[] }) =>
    projects.filter(({ can_push }) => can_push === canPush).map((one) => ProjectSummary.present(one)),
  )

/** A deploy key with all its projects. */
export const InstanceDeployKey = object('InstanceDeployKey', of<KeyRow & { projects: readonly KeyProjectRow[] }>(), {
  ...DeployKey.fields,
  projects_with_write_access: openedProjects(true),
  projects_with_readonly_access: openedProjects(false),
})
