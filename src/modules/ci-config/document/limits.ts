import type { InstanceSettings } from '../../../platform/settings/index.ts'

/** How large a configuration may be: its files, all of them with those that it includes, and the nesting of values. */
export type ConfigLimits = { includes: number; fileBytes: number; totalBytes: number; depth: number }

/** Files are read whole, so none is larger, whatever the settings say. */
export const largestFileBytes = 16 * 1024 * 1024
/** What walks through a configuration calls itself for each level. */
const mostLevels = 200

type Limiting = 'ci_max_includes' | 'max_yaml_size_bytes' | 'ci_max_total_yaml_size_bytes' | 'max_yaml_depth'

/** The limits by the settings of the instance (contract 04, ".gitlab-ci.yml subset"). */
export function configLimits(settings: Pick<InstanceSettings, Limiting>): ConfigLimits {
  return {
    includes: settings.ci_max_includes,
    fileBytes: Math.min(settings.max_yaml_size_bytes, largestFileBytes),
    totalBytes: settings.ci_max_total_yaml_size_bytes,
    depth: Math.min(settings.max_yaml_depth, mostLevels),
  }
}
