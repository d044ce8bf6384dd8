import { choices, limitOrNone } from '../setting.ts'

const lifetime = (whose: string) =>
  limitOrNone({ description: `Seconds for which a new token of ${whose} is valid; null means for ever` })

/** Runners (contract 04). */
export const ci = {
  runner_token_expiration_interval: lifetime('a runner of the instance'),
  group_runner_token_expiration_interval: lifetime('a runner of a group'),
  project_runner_token_expiration_interval: lifetime('a runner of projects'),
  valid_runner_registrars: choices(['project', 'group'], ['project', 'group']),
}
