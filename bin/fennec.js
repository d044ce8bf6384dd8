#!/usr/bin/env node
// Has to be understood by any Node, so that an old one gets a sentence instead of a syntax error.
if (Number.parseInt(process.versions.node, 10) >= 24) {
  import('../dist/bundle/main.js')
} else {
  process.stderr.write(
    `fennec needs Node 24 or newer; this is ${process.version}. See https://nodejs.org/en/download\n`,
  )
  process.exitCode = 1
}
