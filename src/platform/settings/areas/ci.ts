import { choices, limitOrNone, quantity } from '../setting.ts'

const lifetime = (whose: string) =>
  limitOrNone({ description: `Seconds for which a new token of ${whose} is valid; null means for ever` })

/** Configurations of pipelines, and runners (contract 04). */
export const ci = {
  ci_max_includes: quantity(150, { description: 'Files that a CI/CD configuration includes' }),
  max_yaml_size_bytes: quantity(2_097_152, {
    minimum: 1,
    description: 'Bytes of a file of a CI/CD configuration; no more than 16 MiB',
  }),
  max_yaml_depth: quantity(100, { minimum: 1, description: 'Levels of values in a file; no more than 200' }),
  ci_max_total_yaml_size_bytes: quantity(314_572_800, {
    minimum: 1,
    description: 'Bytes of a CI/CD configuration with all that it includes',
  }),
  runner_token_expiration_interval: lifetime('a runner of the instance'),
  group_runner_token_expiration_interval: lifetime('a runner of a group'),
  project_runner_token_expiration_interval: lifetime('a runner of projects'),
  valid_runner_registrars: choices(['project', 'group'], ['project', 'group']),
}
