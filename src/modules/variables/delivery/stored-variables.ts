import type { Platform } from '../../../platform/index.ts'
import { openValues } from '../sealing.ts'
import { variablesAbove } from '../stored/store.ts'
import type { JobVariable } from './job-variables.ts'
import { inScope } from './scopes.ts'

/** The variables of the instance, the groups and the project, for jobs of one pipeline. */
export type StoredVariables = {
  /**
   * What a job gets.
   * @param environment name of its environment; null: none
   */
  forJob(environment: string | null): Record<'instance' | 'groups' | 'project', JobVariable[]>
}

type Opened = Awaited<ReturnType<typeof variablesAbove>>[number] & { value: string }

const jobVariable = ({ key, value, masked, raw, variable_type }: Opened): JobVariable => ({
  ...{ key, value, masked, raw },
  public: false,
  file: variable_type === 'file',
})

/**
 * Reads the variables that a project's jobs may get (contract 03, "Delivery to jobs").
 * @param isProtected whether the ref is protected; otherwise protected variables are left out
 */
export async function storedVariables(
  platform: Platform,
  project: { id: number; namespace_id: number },
  isProtected: boolean,
): Promise<StoredVariables> {
  const all = await variablesAbove(platform.database.read, project)
  const rows = all.filter((row) => isProtected || !row.protected)
  const values = await openValues(platform, rows)
  const opened = rows.flatMap((row, index) => {
    const value = values[index] ?? null
    return value === null ? [] : [{ ...row, value }]
  })
  // The root comes first.
  const depths = [...new Set(opened.flatMap(({ depth }) => depth ?? []))].sort((a, b) => b - a)
  return {
    forJob(environment) {
      const of = (isOwn: (row: Opened) => boolean) => inScope(opened.filter(isOwn), environment).map(jobVariable)
      return {
        instance: of((row) => row.project_id === null && row.namespace_id === null),
        groups: depths.flatMap((depth) => of((row) => row.depth === depth)),
        project: of((row) => row.project_id === project.id),
      }
    },
  }
}
