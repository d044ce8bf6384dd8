import { type ParamValues, t } from '../../../api/index.ts'

const line = () => t.string()

/** What a program that takes jobs can do. Only what the server asks for is read. */
const features = t.object({
  upload_multiple_artifacts: t.boolean(),
  artifacts_exclude: t.boolean(),
  return_exit_code: t.boolean(),
  fallback_cache_keys: t.boolean(),
  cancel_gracefully: t.boolean(),
})

/** What a program that takes jobs says about itself. */
export const info = t.object(
  {
    name: line(),
    version: line(),
    revision: line(),
    platform: line(),
    architecture: line(),
    executor: line(),
    features,
  },
  { description: 'The program that takes the jobs.' },
)

/** The credentials of a runner. */
export const credentials = {
  token: t.required(t.string({ description: 'Authentication token of the runner.' })),
  system_id: t.string({ description: 'Identifies the program among those that use this token.' }),
}

export type RunnerInfo = NonNullable<ParamValues<{ info: typeof info }>['info']>
export type RunnerFeatures = NonNullable<RunnerInfo['features']>
