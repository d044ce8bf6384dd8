import { instance, reading, type Static, Type, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { changePlanLimits, defaultLimits, type PlanLimits, planLimits } from './limits.ts'

const names = Object.keys(defaultLimits).sort() as (keyof PlanLimits)[]

const members = Object.fromEntries(names.map((name) => [name, Type.Integer()])) as Record<
  keyof PlanLimits,
  ReturnType<typeof Type.Integer>
>

/** The limits of the plan (contract 03). */
const PlanLimitsObject = Type.Object(
  { ...members, limits_history: Type.Object({}, { description: 'Always empty.' }) },
  { title: 'PlanLimits' },
)

const present = (limits: PlanLimits): Static<typeof PlanLimitsObject> => ({ ...limits, limits_history: {} })

const shared = {
  tag: 'Plan limits',
  subject: instance,
  allow: 'administrator',
  path: '/application/plan_limits',
} as const

const planName = t.oneOf(['default'], { description: 'There is one plan, `default`.' })

export const planLimitsGet = operation({
  ...shared,
  id: 'plan_limits.get',
  contract: 'x.plan_limits_get',
  method: 'GET',
  summary: 'Read the plan limits',
  scopes: reading,
  params: { plan_name: planName },
  result: [200, PlanLimitsObject],
  run: async ({ platform }) => present(await planLimits(platform.database.read)),
})

const limitParams = Object.fromEntries(names.map((name) => [name, t.integer({ minimum: 0 })])) as Record<
  keyof PlanLimits,
  ReturnType<typeof t.integer>
>

export const planLimitsUpdate = operation({
  ...shared,
  id: 'plan_limits.update',
  contract: 'x.plan_limits_put',
  method: 'PUT',
  summary: 'Change plan limits',
  description: '0 means no limit. Existing records above a lowered limit stay.',
  scopes: writing,
  params: { plan_name: t.required(planName), ...limitParams },
  result: [200, PlanLimitsObject],
  run: async ({ platform, params: { plan_name, ...changes }, actor }) =>
    present(await changePlanLimits(platform, changes, actor)),
})
