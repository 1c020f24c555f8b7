//! Word lists of the offline explorer: words that say nothing about code, words that say what is wanted, and a small
//! glossary from human words to those that stand in code.
//!
//! Must not: search anything. These lists are data; a word that is missing only makes a search a little wider.

const STOP_EN: &str = "a about above after again all also am an and any are as at be because been before being below between both but by can could did do does doing down during each every few for from \
    further had has have having he her here hers him his how i if in into is it its itself just let lets like made make makes many may me might more most much must my no nor not now of off on once only \
    or other our out over own please same shall she should so some such than thank thanks that the their them then there these they this those through to too under until up us very want was we were what \
    when where which while who whom whose why will with would you your yes ok okay hi hello hey good morning question know need there's what's where's how's exactly actually currently there anything \
    something everything think understand means mean get gets got us inside within across";
const STOP_DE: &str = "aber alle als also am an auch auf aus bei beim bin bis bist da dann das dass dein dem den der des die dies diese dieser dieses dir doch du ein eine einem einen einer eines er es für \
    gibt hat haben hier ich ihr im in ist ja kann kannst können man mein mich mir mit nach nicht noch nur ob oder ohne sich sie sind so und uns unser unter vom von vor war warum was welche welchem welcher \
    welches wenn wer werden wie wieso wir wird wo wofür woher zu zum zur über hallo bitte danke moin guten tag zeig zeige finde suche findet sucht genau funktioniert geht passiert";
const STOP_FR: &str = "à au aux avec ce cela ces cet cette comment dans de des du elle en est et être eux il ils je la le les leur lui ma mais me mes moi mon ne nos notre nous on ou où par pas pour pourquoi \
    quand que quel quelle quelles quels qui sa sans se ses son sont sous sur ta te tes toi ton tu un une vos votre vous y a-t-il est-ce bonjour salut merci montre trouve cherche";
const STOP_ES: &str = "a al algo como cómo con cual cuál cuales cuando cuándo de del desde donde dónde e el ella ellos en entre era es esa ese eso esta está estas este esto están hay la las le les lo los más \
    me mi mis muy no nos nosotros o para pero por porque qué que quien quién se ser si sin sobre son su sus también te tiene tu tus u un una uno unos y ya hola gracias muestra busca encuentra";

/// Words that say what is wanted about a thing: its definition, its use, its place. Never searched.
const INTENT: &str = "implementation implemented implement implements define defined defines definition definitions declared declaration located location live lives called call calls caller callers used use uses using \
    usage reference references referenced happen happens work works working worked handled handle handles handling performed done name names named find show tell explain describe give look locate see \
    come comes exist exists go goes way part parts place places thing things stelle stellen definiert implementiert aufgerufen benutzt verwendet définie définies définis défini définition appelé appelée utilisé utilisée endroit definido definida \
    definición definidas llamado usado usada lugar";

/// Words of talk around code; searched only when nothing else is left.
const GENERIC: &str = "code codes function functions func method methods class classes file files module modules variable variables logic project repository repo codebase overview architecture structure source sources \
    program app application line lines mechanism feature set search list test tests tested testing bug bugs funktion funktionen klasse klassen methode methoden datei dateien projekt zeile zeilen überblick logik \
    fonction fonctions classe méthode fichier fichiers projet logique función funciones clase método archivo archivos fichero proyecto lógica";

/// Imperatives at the start of a request that need a model or a change.
const ACTIONS: &str = "fix write implement refactor add create delete remove rename run install commit update change translate edit build make generate debug repair improve optimize optimise replace move \
    convert upgrade push deploy merge review solve format document summarize summarise rewrite \
    behebe repariere schreibe schreib lösche erstelle ändere füge baue implementiere korrigiere verbessere übersetze corrige écris ajoute supprime crée modifie traduis arregla escribe añade agrega borra crea \
    modifica cambia traduce";
const ACTIONS_CJK: [&str; 14] = ["修复", "修改", "添加", "删除", "创建", "编写", "请写", "写一", "重构", "翻译", "修正して", "追加して", "削除して", "書いて"];

/// Words, and what stands in code for them.
const GLOSSARY: &str = "authentication auth|authorization auth|configuration config|settings config|config settings|database db|directory dir|initialization init|initialize init|parameter param|\
    parameters param|password passwd|synchronize sync|synchronization sync|delete remove|environment env|repository repo|temporary tmp temp|retry backoff|retries backoff|timeout deadline|login signin|shortcut keymap|\
    shortcuts keymap|pagination paging page|message msg|messages msg|permissions permission|connection conn|\
    fehler error|verzeichnis dir|konfiguration config|konfiguriert config|einstellung setting config|einstellungen setting config|wiederholung retry|wiederholungen retry|wiederholt retry|anmeldung login auth|\
    passwort password|verbindung connect|abfrage query|anfrage request|anfragen request|antwort response reply|nachricht message|benutzer user|speicher memory storage|gespeichert save store|geladen load|laden load|\
    schreiben write|geschrieben write|lesen read|gelesen read|löschen delete remove|gelöscht delete remove|seite page|seiten page|sprache language|schlüssel key|prüfung check|geprüft check|berechtigung permission|\
    zwischenspeicher cache|beiträge post|beitrag post|zeitüberschreitung timeout|fenster window|\
    erreur error|erreurs error|répertoire dir|connexion connect login|requête request query|requêtes request query|réponse response|utilisateur user|utilisateurs user|clé key|enregistrer save|supprimer delete|\
    paramètre param|tentative retry|tentatives retry|réessayer retry|articles post|délai timeout|\
    directorio dir|configuración config|conexión connect|consulta query|solicitud request|solicitudes request|respuesta response|usuario user|usuarios user|contraseña password|clave key|guardar save|borrar delete|\
    página page|páginas page|reintento retry|reintentos retry|errores error|\
    登录 login|错误 error|配置 config|用户 user|密码 password|数据库 database db|缓存 cache|重试 retry|超时 timeout|请求 request|响应 response|文件 file|目录 dir|分页 page paginat|权限 permission|连接 connect|日志 log|解析 parse|\
    认证 auth|验证 valid verif|搜索 search|加载 load|保存 save|列表 list|文章 post article|帖子 post|\
    設定 config setting|エラー error|ユーザー user|ユーザ user|ログイン login|パスワード password|データベース database db|キャッシュ cache|リトライ retry|再試行 retry|タイムアウト timeout|リクエスト request|レスポンス response|\
    ファイル file|認証 auth|検索 search|保存 save|削除 delete remove|接続 connect|権限 permission|ページ page|投稿 post|ログ log|\
    오류 error|설정 config setting|사용자 user|로그인 login|재시도 retry|파일 file|데이터베이스 database|캐시 cache|ошибка error|ошибки error|настройки config setting|пользователь user|файл file|кэш cache";

/// Han, Hiragana and Hangul pieces that ask instead of naming, longest first.
pub const STOP_CJK: [&str; 52] = [
    "在哪里",
    "在什么",
    "是什么",
    "为什么",
    "哪些",
    "哪里",
    "在哪",
    "哪个",
    "什么",
    "怎么",
    "如何",
    "怎样",
    "定义",
    "实现",
    "位置",
    "代码",
    "函数",
    "逻辑",
    "这个",
    "那个",
    "请问",
    "你好",
    "谢谢",
    "显示",
    "查找",
    "找到",
    "一下",
    "何処",
    "何故",
    "何",
    "関数",
    "定義",
    "実装",
    "場所",
    "処理",
    "的",
    "是",
    "在",
    "了",
    "吗",
    "呢",
    "和",
    "与",
    "请",
    "把",
    "被",
    "어디에",
    "어디",
    "무엇",
    "어떻게",
    "정의",
    "있나요",
];

fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|w| w == word)
}

/// Whether a lower-case word says nothing, in English or in the one other language that the question is written in.
#[must_use]
pub fn is_stop(word: &str, language: Language) -> bool {
    let own = match language {
        Language::English => "",
        Language::German => STOP_DE,
        Language::French => STOP_FR,
        Language::Spanish => STOP_ES,
    };
    has(STOP_EN, word) || has(own, word)
}

/// Whether a lower-case word is only talk around code.
#[must_use]
pub fn is_generic(word: &str) -> bool {
    has(GENERIC, word)
}

/// Whether a lower-case word only says what is wanted about a thing.
#[must_use]
pub fn is_intent(word: &str) -> bool {
    has(INTENT, word)
}

/// Whether a lower-case word at the start asks for something that needs a model.
#[must_use]
pub fn is_action(word: &str) -> bool {
    has(ACTIONS, word)
}

/// Whether a question starts with such a request in Chinese, or holds one in Japanese.
#[must_use]
pub fn is_cjk_action(question: &str) -> bool {
    let start = question.trim_start_matches(['请', '帮', '我', ' ']);
    ACTIONS_CJK.iter().any(|a| start.starts_with(a) || (a.ends_with("て") && question.contains(a)))
}

/// What stands in code for a lower-case word.
pub fn translations(word: &str) -> impl Iterator<Item = &'static str> {
    GLOSSARY.split('|').map(str::trim).filter_map(move |entry| entry.split_once(' ').filter(|(key, _)| *key == word)).flat_map(|(_, codes)| codes.split(' '))
}

/// Glossary words beyond ASCII that stand in a run of text without spaces.
pub fn known_in(run: &str) -> impl Iterator<Item = &'static str> {
    GLOSSARY.split('|').filter_map(|entry| entry.trim().split(' ').next()).filter(move |key| !key.is_ascii() && run.contains(key))
}

/// The languages that have a list of stop words.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Language {
    /// Also everything without a list.
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
}

/// The language whose stop words are the most frequent; English when in doubt.
#[must_use]
pub fn language(lower: &str) -> Language {
    let count = |list: &str| lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty() && has(list, w)).count();
    let english = count(STOP_EN);
    [(Language::German, count(STOP_DE)), (Language::French, count(STOP_FR)), (Language::Spanish, count(STOP_ES))]
        .into_iter()
        .filter(|(_, n)| *n > english)
        .max_by_key(|(_, n)| *n)
        .map_or(Language::English, |(language, _)| language)
}
