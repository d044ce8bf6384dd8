import { type App, type AppOptions, startApp } from '../../app.ts'
import { type Config, rootTokenFile } from '../../config.ts'
import { fail } from '../configured.ts'
import { commandLogger } from './logger.ts'

/** What a server says when it is ready. */
export function greeting(app: App, config: Config): string {
  const { token, password, isFirst } = app.boot
  const shown = config.rootToken ? '$FENNEC_ROOT_TOKEN' : (token ?? `$(cat ${rootTokenFile(config)})`)
  const lines = ['', `  Fennec is ready at ${app.url}`]
  if (isFirst) {
    lines.push('', '  First start: the user root was created.')
    if (token && !config.rootToken) lines.push(`    token     ${token}`)
    if (password) lines.push(`    password  ${password}`)
  }
  lines.push(
    '',
    `  Try: curl --header "PRIVATE-TOKEN: ${shown}" ${app.url}/api/v4/user`,
    `  Reference: ${app.url}/docs`,
    '',
  )
  return `${lines.join('\n')}\n`
}

type ListenError = NodeJS.ErrnoException & { port?: number }

/** The setting of the listener that could not be opened. */
function listenerOf({ listen, registryListen, pagesListen }: Config, { port }: ListenError): string {
  if (port === listen.port) return 'FENNEC_LISTEN'
  if (port === registryListen?.port) return 'FENNEC_REGISTRY_LISTEN'
  return port === pagesListen?.port ? 'FENNEC_PAGES_LISTEN' : 'FENNEC_LISTEN'
}

/** Starts a server in this process. A start that fails ends it with one line. */
export async function startServing(config: Config, options: Pick<AppOptions, 'durable' | 'worker'>): Promise<App> {
  return startApp({ ...options, config, log: await commandLogger(config) }).catch((error: ListenError) => {
    if (error.code === 'EADDRINUSE') fail(`${listenerOf(config, error)}: port ${error.port} is in use`)
    fail(error.message)
  })
}
