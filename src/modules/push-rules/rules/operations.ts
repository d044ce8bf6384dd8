import { nothing, nullable, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { pushRuleNames, pushRuleParams } from './params.ts'
import { GroupPushRule, PushRule } from './present.ts'
import { createPushRule, deletePushRule, getPushRule, updatePushRule } from './push-rules.ts'

/** Push rules of projects, and those that groups give to new projects (contract 22, x.push_rule_*, x.gpush_rule_*). */
export const pushRuleOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const isProject = kind === 'project'
  const contract = isProject ? 'x.push_rule' : 'x.gpush_rule'
  const of = isProject ? 'of a project' : 'that a group gives to new projects'
  const Rule = isProject ? PushRule : GroupPushRule
  const shared = { tier: 'premium', tag: 'Push rules', subject, path: `${path}/push_rule` } as const
  const write = { ...shared, allow: 'admin_push_rules', scopes: writing } as const
  return [
    operation({
      ...shared,
      id: `${kind}_push_rules.get`,
      contract: `${contract}_get`,
      method: 'GET',
      summary: `Get the push rule ${of}${isProject ? ', or null' : ''}`,
      allow: 'read_push_rules',
      scopes: reading,
      result: [200, isProject ? nullable(PushRule) : GroupPushRule],
      run: ({ platform, subject }) => getPushRule(platform, subject),
    }),
    operation({
      ...write,
      id: `${kind}_push_rules.create`,
      contract: `${contract}_create`,
      method: 'POST',
      summary: `Create the push rule ${of}`,
      params: pushRuleParams,
      result: [201, Rule],
      run: ({ platform, subject, params, act }) => createPushRule(platform, subject, params, act),
    }),
    operation({
      ...write,
      id: `${kind}_push_rules.update`,
      contract: `${contract}_update`,
      method: 'PUT',
      summary: `Change the push rule ${of}`,
      params: pushRuleParams,
      atLeastOne: pushRuleNames,
      result: [200, Rule],
      run: ({ platform, subject, params, act }) => updatePushRule(platform, subject, params, act),
    }),
    operation({
      ...write,
      id: `${kind}_push_rules.delete`,
      contract: `${contract}_delete`,
      method: 'DELETE',
      summary: `Delete the push rule ${of}`,
      result: [204, nothing],
      run: ({ platform, subject, unmodified, act }) => deletePushRule(platform, subject, { unmodified, act }),
    }),
  ]
})
