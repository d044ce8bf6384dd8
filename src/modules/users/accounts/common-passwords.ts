/** The passwords that are tried first: those of eight characters and more that lists of stolen ones are full of. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `00000000 000000000 0000000000 01234567 0123456789 0987654321 10101010 11111111 111111111 1111111111 11112222 11223344
  1122334455 112233445566 12121212 12123434 123123123 123123123123 1231231234 12312312 123321123 1234512345 12341234
  123412341234 123454321 12345678 123456780 123456789 1234567890 12345678900 123456789a 12345678910 1234567891 123456789q
  12345678a 12345678q 123456aa 123456abc 1234qwer 1234qwerasdf 123654789 123698745 12qwaszx 13131313 135792468 147258369
  147852369 159357258 159753456 1a2b3c4d 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz1qaz 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 20202020
  21212121 22222222 2222222222 23232323 25252525 31415926 33333333 44444444 55555555 5555555555 66666666 6666666666
  741852963 77777777 7777777777 78945612 789456123 78963214 87654321 88888888 8888888888 963852741 987654321 9876543210
  98765432 99999999 999999999 9999999999 a1234567 a12345678 a123456789 a1b2c3d4 a1s2d3f4 aa123456 aa12345678 aaaaaaaa
  aaaaaaaaaa abc12345 abc123456 abcd1234 abcd12345 abcdabcd abcdef123 abcdefgh abcdefghi abcdefghij access14 admin123
  admin1234 admin12345 adminadmin administrator airborne alexander alexandra anderson asasasas asd12345 asdasdasd
  asdf1234 asdfasdf asdfghjk asdfghjkl asdfjkl; asdqwe123 babygirl baseball basketball batman123 beautiful benjamin
  blahblah bluebird brooklyn butterfly caroline challenge changeme changeme1 changeme123 changeit charlie1 chocolate
  christian christine christopher computer computer1 consumer corvette cowboys1 creative danielle december default1
  diamond1 dolphins dragon12 dragon123 drowssap einstein elephant elizabeth explorer fantasia fernando firebird florence
  football football1 forever1 freedom1 garfield gateway1 godzilla goldfish goodluck hardcore hello123 hello1234
  helloworld hellohello iloveyou iloveyou1 iloveyou2 internet isabella jasmine1 jennifer jessica1 johnson1 jonathan
  jordan23 katherine killer123 kimberly kristina lakers24 letmein1 letmein123 letmeinnow liverpool lovelove loveyou1
  lovers123 ludmila1 manchester margaret marlboro marseille master123 maverick mercedes michael1 michelle michelle1
  midnight mickey123 microsoft monkey12 monkey123 mountain mustang1 mypassword natasha1 nathan123 newcastle nicholas
  nintendo november october1 olivia123 p@55w0rd p@ssw0rd p@ssw0rd1 p@ssword pa$$w0rd pa55w0rd pa55word panther1 pass1234
  pass12345 passpass passw0rd passw0rd1 passwd123 password password! password. password0 password00 password01 password1
  password1! password10 password11 password12 password123 password123! password1234 password12345 password2 password21
  password22 password3 password4 password5 password7 password8 password9 password99 passwordpassword passwort patricia
  personal phoenix1 platinum playboy1 pokemon1 portugal power123 precious princess princess1 professor q1w2e3r4
  q1w2e3r4t5 q1w2e3r4t5y6 qawsedrf qazwsx123 qazwsxedc qazxswedc qwaszx12 qwe12345 qweasd123 qweasdzxc qweqweqwe
  qwer1234 qwerasdf qwerqwer qwert123 qwert12345 qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwertyqwerty
  qwertyui qwertyuiop qwertyuiop123 rainbow1 rangers1 redskins remember richard1 robert123 rockyou1 rootroot root1234
  samantha samsung1 samsung123 santiago scarface scorpion scotland secret123 security september serenity sandiego
  snickers snowball softball sergey123 spartan1 spiderman spitfire starlight startrek starwars starwars1 steelers
  strawberry streamer sunflower sunshine sunshine1 superman superman1 superstar swordfish tennessee test1234 test12345
  testing1 testing123 testtest thailand thunder1 tinkerbell trinity1 trustno1 trustno11 valentina valentine vanessa1
  veronica victoria virginia volleyball welcome1 welcome12 welcome123 welcome1234 westside whatever whatever1 william1
  winner123 winston1 wolverine xxxxxxxx xxxxxxxxxx yellow12 yourmom1 zaq12wsx zaq1xsw2 zaq1zaq1 zxcvbnm1 zxcvbnm123
  zxcvbnm, zxcvbnm,./ zxcvzxcv zzzzzzzz`
    .split(/\s+/)
    .filter((word) => word !== ''),
)
