import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCommand } from 'citty'
import { type App, startApp } from '../app.ts'
import { type Config, memoryConfig, temporaryFolder } from '../config.ts'
import { rootTokenFile } from '../modules/tokens/index.ts'
import { configured, fail } from './configured.ts'
import { commandLogger } from './logger.ts'

function greeting(app: App, config: Config): string {
  const { token, password, isFirst } = app.boot
  const shown = config.rootToken ? '$FENNEC_ROOT_TOKEN' : (token ?? `$(cat ${rootTokenFile(config.data)})`)
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

/** Stops the server at the first signal. Further signals are ignored: one Ctrl-C may send several. */
function stopOnSignal(stop: () => Promise<void>): void {
  let isStopping = false
  const onSignal = async () => {
    if (isStopping) return
    isStopping = true
    await stop().catch((error: Error) => fail(`did not stop cleanly: ${error.message}`))
    process.exit(0)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

async function start(base: Config, memory: boolean): Promise<{ app: App; config: Config; stop: () => Promise<void> }> {
  const folder = memory ? await mkdtemp(join(temporaryFolder, 'fennec-')) : undefined
  const config = folder ? memoryConfig(base, folder) : base
  const app = await startApp({ config, log: await commandLogger(config), durable: !memory })
  const stop = async () => {
    await app.stop()
    if (folder) await rm(folder, { recursive: true, force: true })
  }
  return { app, config, stop }
}

type ListenError = NodeJS.ErrnoException & { port?: number }

/** The setting of the listener that could not be opened. */
function listenerOf({ listen, registryListen }: Config, { port }: ListenError): string {
  return port !== listen.port && port === registryListen?.port ? 'FENNEC_REGISTRY_LISTEN' : 'FENNEC_LISTEN'
}

/** `fennec serve` */
export const serve = defineCommand({
  meta: { name: 'serve', description: 'Start the server' },
  args: {
    memory: { type: 'boolean', description: 'Delete all data when the server stops', default: false },
  },
  async run({ args }) {
    const base = configured()
    const { app, config, stop } = await start(base, args.memory).catch((error: ListenError) => {
      if (error.code === 'EADDRINUSE') fail(`${listenerOf(base, error)}: port ${error.port} is in use`)
      fail(error.message)
    })
    stopOnSignal(stop)
    process.stdout.write(greeting(app, config))
  },
})
