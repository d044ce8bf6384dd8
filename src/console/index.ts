import { families } from './derived/families.ts'
import type { Page } from './page.ts'
import { applications } from './pages/account/applications.tsx'
import { authorize } from './pages/account/authorize.tsx'
import { device } from './pages/account/device.tsx'
import { groupNotifications, ownNotifications, projectNotifications } from './pages/account/notifications.tsx'
import { password } from './pages/account/password.tsx'
import { account } from './pages/account/sessions.tsx'
import { signIn } from './pages/account/sign-in.tsx'
import { forgottenPassword, newPassword, signUp } from './pages/account/sign-up.tsx'
import { twoFactor } from './pages/account/two-factor.tsx'
import { administrationPages } from './pages/administration/index.ts'
import { alertPages } from './pages/alerts/index.ts'
import { buildPages } from './pages/build/index.ts'
import { pipelineCharts } from './pages/charts/pipelines.tsx'
import { usage } from './pages/charts/usage.tsx'
import { codePages } from './pages/code/index.ts'
import { deliveryPages, resourcePages } from './pages/delivery/index.ts'
import { flagPages } from './pages/flags/index.ts'
import { dashboard } from './pages/home/dashboard.tsx'
import { explore, groups } from './pages/home/explore.tsx'
import { groupHome } from './pages/home/group.tsx'
import { profile } from './pages/home/profile.tsx'
import { integrationPages } from './pages/integrations/index.ts'
import { packagePages } from './pages/packages/index.ts'
import { registryPages } from './pages/registry/index.ts'
import { searchPages } from './pages/search/search.tsx'
import { transferPages } from './pages/transfers/index.ts'
import { workPages } from './pages/work/index.ts'

export { createConsole } from './service.tsx'

/** All pages, in the order of the navigation. Of two that match an address, the one whose path says more is shown. */
export const pages: readonly Page[] = [
  ...[dashboard, explore, groups],
  ...searchPages,
  ...[signIn, signUp, forgottenPassword, newPassword, account, password, twoFactor, ownNotifications],
  ...[applications, authorize, device],
  ...administrationPages,
  ...[profile, groupHome],
  ...codePages,
  ...packagePages,
  ...registryPages,
  ...workPages,
  ...alertPages,
  ...deliveryPages,
  ...flagPages,
  ...buildPages,
  ...resourcePages,
  ...[projectNotifications, groupNotifications],
  ...integrationPages,
  ...transferPages,
  ...[pipelineCharts, usage],
  ...families,
]
