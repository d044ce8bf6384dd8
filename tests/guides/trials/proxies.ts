import { file, run, type Step, sh, type Trial } from '../trial.ts'

const document = 'docs/guides/proxies.md'

/** A server with the settings of the guide, and a certificate. */
const server: readonly Step[] = [
  sh(
    `openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=git.example.com -addext subjectAltName=DNS:git.example.com \\`,
    `  -keyout key.pem -out certificate.pem 2>/dev/null`,
    'export CURL_HOME="$HOME" GIT_SSL_CAINFO="$HOME/certificate.pem"',
    `printf 'cacert = "%s"\\nresolve = "git.example.com:%s:127.0.0.1"\\nretry = 30\\nretry-delay = 1\\nretry-connrefused\\n' "$HOME/certificate.pem" "$HTTPS_PORT" > .curlrc`,
    'git config --global http.curloptResolve "git.example.com:$HTTPS_PORT:127.0.0.1"',
    'set -a',
  ),
  run('Proxies and TLS'),
  sh('set +a', 'fennec serve > server.log &'),
]

/** What a proxy must do: paths as they came, large bodies, the address of the client. */
const isServed: readonly Step[] = [
  sh(
    'ready="https://git.example.com:$HTTPS_PORT/-/readiness"',
    'for _ in $(seq 60); do command curl --silent --fail --output /dev/null "$ready" && break; sleep 1; done',
    'export TOKEN="$(cat data/root-token)" api="https://git.example.com:$HTTPS_PORT/api/v4"',
    'curl --output /dev/null --header "PRIVATE-TOKEN: $TOKEN" --data name=demo --data initialize_with_readme=true "$api/projects"',
  ),
  run('Check'),
  sh(
    'name="a%2Fb%3F%23%25%40.txt"',
    'curl --output /dev/null --header "PRIVATE-TOKEN: $TOKEN" --data branch=main --data content=x --data commit_message=x "$api/projects/root%2Fdemo/repository/files/$name"',
    'curl --header "PRIVATE-TOKEN: $TOKEN" "$api/projects/root%2Fdemo/repository/files/$name?ref=main" | grep --fixed-strings \'"file_path":"a/b?#%@.txt"\'',
    'git clone --quiet "https://root:$TOKEN@git.example.com:$HTTPS_PORT/root/demo.git"',
    'head --bytes=30M /dev/urandom > demo/large.bin',
    'git -C demo add large.bin && git -C demo commit --quiet --message Large && git -C demo push --quiet',
    'curl --header "PRIVATE-TOKEN: $TOKEN" --form file=@demo/large.bin "$api/projects/root%2Fdemo/uploads"',
    'curl --output /dev/null --header "X-Forwarded-For: 203.0.113.9" "$ready"',
    `if grep '203.0.113.9' server.log; then echo 'clients choose their address'; exit 1; fi`,
    `grep --quiet '"ip":"127.0.0.1"' server.log`,
  ),
]

const instead = {
  'https://git.example.com': 'https://git.example.com:$HTTPS_PORT',
}

export const proxies: readonly Trial[] = [
  {
    document,
    name: 'nginx',
    tools: ['nginx', 'openssl'],
    ports: ['HTTPS'],
    instead: {
      ...instead,
      'listen 443': 'listen 127.0.0.1:$HTTPS_PORT',
      '/etc/ssl/git.example.com.pem': 'certificate.pem',
      '/etc/ssl/git.example.com.key': 'key.pem',
    },
    steps: [
      ...server,
      file('nginx', 1, 'nginx.conf', [
        'daemon off;\npid nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\nclient_body_temp_path body;\nproxy_temp_path proxy;\nfastcgi_temp_path fastcgi;\nuwsgi_temp_path uwsgi;\nscgi_temp_path scgi;\n',
        '}\n',
      ]),
      sh('nginx -p "$PWD" -c nginx.conf &'),
      ...isServed,
    ],
  },
  {
    document,
    name: 'Caddy',
    tools: ['caddy', 'openssl'],
    ports: ['HTTPS'],
    // A certificate of an authority needs a name that the world knows.
    instead: {
      ...instead,
      'git.example.com {': 'git.example.com:$HTTPS_PORT {\n  bind 127.0.0.1\n  tls certificate.pem key.pem',
    },
    steps: [
      ...server,
      file('Caddy', 1, 'Caddyfile', ['{\n  admin off\n  auto_https disable_redirects\n}\n', '']),
      sh('caddy run --config Caddyfile &'),
      ...isServed,
    ],
  },
  {
    document,
    name: 'Traefik',
    tools: ['traefik', 'openssl'],
    ports: ['HTTPS'],
    instead: {
      ...instead,
      '":443"': '"127.0.0.1:$HTTPS_PORT"',
      '/etc/traefik/fennec.yaml': 'fennec.yaml',
      '/etc/ssl/git.example.com.pem': 'certificate.pem',
      '/etc/ssl/git.example.com.key': 'key.pem',
    },
    steps: [
      ...server,
      file('Traefik', 1, 'traefik.yaml', ['global: { checkNewVersion: false, sendAnonymousUsage: false }\n', '']),
      file('Traefik', 2, 'fennec.yaml'),
      sh('traefik --configFile=traefik.yaml &'),
      ...isServed,
    ],
  },
]
