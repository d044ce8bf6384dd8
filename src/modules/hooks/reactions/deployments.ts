import type { Events, Reaction } from '../../../platform/index.ts'
import { deploymentById, environmentById } from '../../environments/index.ts'
import { fire } from '../firing/fire.ts'
import { deploymentPayload } from '../payloads/delivery.ts'
import { building, namedProject } from '../payloads/parts.ts'

/** A deployment runs or has ended. */
export const hookDeployments: Reaction<Events['deployment.changed']> = (platform, tx, { deploymentId, projectId }) =>
  fire(
    platform,
    tx,
    { trigger: 'deployment', projectId },
    {
      async own() {
        const row = await deploymentById(tx, deploymentId)
        const environment = row && (await environmentById(tx, row.environment_id))
        const project = await namedProject(tx, projectId)
        return environment && project
          ? deploymentPayload(await building(platform, tx), project, row, environment)
          : null
      },
    },
  )
